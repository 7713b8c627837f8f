//! The truth about very small boards by plain exhaustive search: all positions, all moves, no cleverness.
//!
//! A position is the stones, whose turn it is, whether the last move was a pass, and a point forbidden by basic ko.
//! What a side can force with every endless game counted against it is the least fixed point of minimax over the graph
//! of all positions: start from the worst for that side everywhere, and repeat until nothing changes.

use std::collections::HashMap;

/// Points by colour: 1 Black, -1 White, 0 none; from the top left, row by row.
pub type Cells = Vec<i8>;

/// The stones, the turn (1 Black), whether the last move was a pass, the point forbidden by ko.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    cells: Cells,
    turn: i8,
    passed: bool,
    ko: Option<usize>,
}

/// What a move leads to.
enum Next {
    State(u32),
    End(i8),
}

/// A board of any shape with the plainest of rules.
pub struct Naive {
    beside: Vec<Vec<usize>>,
}

impl Naive {
    pub fn new(width: usize, height: usize) -> Self {
        let beside = (0..width * height)
            .map(|point| {
                let (x, y) = (point % width, point / width);
                let mut around = Vec::new();
                if x > 0 {
                    around.push(point - 1);
                }
                if x + 1 < width {
                    around.push(point + 1);
                }
                if y > 0 {
                    around.push(point - width);
                }
                if y + 1 < height {
                    around.push(point + width);
                }
                around
            })
            .collect();
        Self { beside }
    }

    pub fn area(&self) -> usize {
        self.beside.len()
    }

    /// The points of the same content connected with `point`, and those of other content beside them.
    fn group(&self, cells: &[i8], point: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut group, mut border) = (vec![point], Vec::new());
        let mut at = 0;
        while at < group.len() {
            for &next in &self.beside[group[at]] {
                if cells[next] != cells[point] {
                    border.push(next);
                } else if !group.contains(&next) {
                    group.push(next);
                }
            }
            at += 1;
        }
        (group, border)
    }

    /// The stones after a move and the point of a ko, if it is legal.
    pub fn play(&self, cells: &[i8], point: usize, color: i8) -> Option<(Cells, Option<usize>)> {
        if cells[point] != 0 {
            return None;
        }
        let mut cells = cells.to_vec();
        cells[point] = color;
        let mut captured = Vec::new();
        for &next in &self.beside[point] {
            if cells[next] == -color {
                let (group, border) = self.group(&cells, next);
                if border.iter().all(|&other| cells[other] != 0) {
                    for &stone in &group {
                        cells[stone] = 0;
                    }
                    captured.extend(group);
                }
            }
        }
        let (group, border) = self.group(&cells, point);
        let liberties = (0..cells.len())
            .filter(|other| border.contains(other) && cells[*other] == 0)
            .count();
        if liberties == 0 {
            return None;
        }
        let ko = (captured.len() == 1 && group.len() == 1 && liberties == 1).then(|| captured[0]);
        Some((cells, ko))
    }

    /// Black's lead when every stone counts.
    pub fn lead(&self, cells: &[i8]) -> i8 {
        let owner = |point: usize| {
            if cells[point] != 0 {
                return cells[point];
            }
            let (_, border) = self.group(cells, point);
            match border.first().map(|&stone| cells[stone]) {
                Some(color) if border.iter().all(|&stone| cells[stone] == color) => color,
                _ => 0,
            }
        };
        (0..cells.len()).map(owner).sum()
    }
}

/// All positions that can come about, and what leads where.
pub struct Graph {
    pub board: Naive,
    numbers: HashMap<State, u32>,
    next: Vec<Vec<Next>>,
    turns: Vec<i8>,
}

impl Graph {
    /// Everything that can follow the empty board with Black to move.
    pub fn new(width: usize, height: usize) -> Self {
        let board = Naive::new(width, height);
        let start = State {
            cells: vec![0; board.area()],
            turn: 1,
            passed: false,
            ko: None,
        };
        let mut graph = Self {
            board,
            numbers: HashMap::new(),
            next: Vec::new(),
            turns: Vec::new(),
        };
        let mut waiting = vec![start.clone()];
        graph.number(start, &mut Vec::new());
        while let Some(state) = waiting.pop() {
            let number = graph.numbers[&state] as usize;
            graph.next[number] = graph.moves(&state, &mut waiting);
        }
        graph
    }

    fn number(&mut self, state: State, waiting: &mut Vec<State>) -> u32 {
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        let number = self.turns.len() as u32;
        self.turns.push(state.turn);
        self.next.push(Vec::new());
        waiting.push(state.clone());
        self.numbers.insert(state, number);
        number
    }

    fn moves(&mut self, state: &State, waiting: &mut Vec<State>) -> Vec<Next> {
        let mut moves = Vec::new();
        for point in (0..self.board.area()).filter(|&point| state.ko != Some(point)) {
            if let Some((cells, ko)) = self.board.play(&state.cells, point, state.turn) {
                let after = State {
                    cells,
                    turn: -state.turn,
                    passed: false,
                    ko,
                };
                moves.push(Next::State(self.number(after, waiting)));
            }
        }
        moves.push(if state.passed {
            Next::End(self.board.lead(&state.cells))
        } else {
            let after = State {
                turn: -state.turn,
                passed: true,
                ko: None,
                ..state.clone()
            };
            Next::State(self.number(after, waiting))
        });
        moves
    }

    /// Black's lead from every position, when endless play is worth `endless` to Black.
    pub fn values(&self, endless: i8) -> Vec<i8> {
        let mut values = vec![endless; self.next.len()];
        loop {
            let mut changed = false;
            for (state, moves) in self.next.iter().enumerate() {
                let worth = moves.iter().map(|next| match next {
                    Next::State(other) => values[*other as usize],
                    Next::End(lead) => *lead,
                });
                let value = if self.turns[state] == 1 {
                    worth.max()
                } else {
                    worth.min()
                };
                let value = value.expect("a pass is always allowed");
                changed |= value != values[state];
                values[state] = value;
            }
            if !changed {
                return values;
            }
        }
    }

    /// The number of the position of those stones that nothing has happened to just now.
    pub fn quiet(&self, cells: &[i8], turn: i8) -> Option<u32> {
        let state = State {
            cells: cells.to_vec(),
            turn,
            passed: false,
            ko: None,
        };
        self.numbers.get(&state).copied()
    }
}
