//! The truth about very small boards by plain exhaustive search on the rules of `rules::naive`: all positions,
//! all moves, no cleverness.
//!
//! A position is the stones, whose turn it is, whether the last move was a pass, and a point forbidden by basic ko.
//! What a side can force with every endless game counted against it is the least fixed point of minimax over the graph
//! of all positions: start from the worst for that side everywhere, and repeat until nothing changes.

use std::collections::HashMap;

use honinbo::game::color::Color;

use crate::rules::naive::{NaiveBoard, Place};

/// A position.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    board: NaiveBoard,
    to_move: Color,
    passed: bool,
    ko: Option<Place>,
}

impl State {
    /// One that nothing has happened to just now.
    fn quiet(board: NaiveBoard, to_move: Color) -> Self {
        Self {
            board,
            to_move,
            passed: false,
            ko: None,
        }
    }
}

/// What a move leads to.
enum Next {
    State(u32),
    End(i8),
}

/// Black's lead when every stone counts.
fn lead(board: &NaiveBoard) -> i8 {
    let owners = board.places().into_iter().filter_map(|at| board.owner(at));
    owners.map(|owner| owner.to_perspective(1)).sum()
}

/// All positions that can come about, and what leads where.
pub struct Graph {
    numbers: HashMap<State, u32>,
    next: Vec<Vec<Next>>,
    turns: Vec<Color>,
}

impl Graph {
    /// Everything that can follow the empty board with Black to move.
    pub fn new(width: usize, height: usize) -> Self {
        let mut graph = Self {
            numbers: HashMap::new(),
            next: Vec::new(),
            turns: Vec::new(),
        };
        let mut waiting = Vec::new();
        let start = State::quiet(NaiveBoard::new(width, height), Color::Black);
        graph.number(start, &mut waiting);
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
        self.turns.push(state.to_move);
        self.next.push(Vec::new());
        waiting.push(state.clone());
        self.numbers.insert(state, number);
        number
    }

    fn moves(&mut self, state: &State, waiting: &mut Vec<State>) -> Vec<Next> {
        let to_move = state.to_move.opposite();
        let mut moves = Vec::new();
        for place in state.board.empty() {
            let after = state.board.after(state.to_move, place);
            if after.suicide || state.ko == Some(place) {
                continue;
            }
            let after = State {
                ko: after.retaken_at(place),
                ..State::quiet(after.board, to_move)
            };
            moves.push(Next::State(self.number(after, waiting)));
        }
        moves.push(if state.passed {
            Next::End(lead(&state.board))
        } else {
            let after = State {
                passed: true,
                ..State::quiet(state.board.clone(), to_move)
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
                let value = match self.turns[state] {
                    Color::Black => worth.max(),
                    Color::White => worth.min(),
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
    pub fn quiet(&self, board: &NaiveBoard, to_move: Color) -> Option<u32> {
        let state = State::quiet(board.clone(), to_move);
        self.numbers.get(&state).copied()
    }
}
