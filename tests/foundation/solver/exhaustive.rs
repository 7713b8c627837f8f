//! Exhaustive search of very small boards with the naive rules: all positions and all moves.
//!
//! A position consists of the stones, the side to move, a flag for a previous pass, and a ko point. The value that
//! a side can force, with endless games counted against it, is the least fixed point of minimax over the graph of
//! all positions. It is computed by starting with the worst value for that side everywhere and iterating until
//! nothing changes.

use std::collections::HashMap;

use honinbo::game::color::Color;

use crate::naive::{NaiveBoard, Place};

/// A position.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    board: NaiveBoard,
    to_move: Color,
    passed: bool,
    ko: Option<Place>,
}

impl State {
    /// A position without a ko or a previous pass.
    fn quiet(board: NaiveBoard, to_move: Color) -> Self {
        Self {
            board,
            to_move,
            passed: false,
            ko: None,
        }
    }
}

/// Result of a move.
enum Next {
    State(u32),
    End(i8),
}

/// Graph of all reachable positions.
pub struct Graph {
    indices: HashMap<State, u32>,
    next: Vec<Vec<Next>>,
    sides_to_move: Vec<Color>,
}

impl Graph {
    /// Creates the graph of all positions reachable from the empty board with Black to move.
    pub fn new(width: usize, height: usize) -> Self {
        let mut graph = Self {
            indices: HashMap::new(),
            next: Vec::new(),
            sides_to_move: Vec::new(),
        };
        let mut pending = Vec::new();
        let start = State::quiet(NaiveBoard::new(width, height), Color::Black);
        graph.index(start, &mut pending);
        while let Some(state) = pending.pop() {
            let index = graph.indices[&state] as usize;
            graph.next[index] = graph.moves(&state, &mut pending);
        }
        graph
    }

    fn index(&mut self, state: State, pending: &mut Vec<State>) -> u32 {
        if let Some(&index) = self.indices.get(&state) {
            return index;
        }
        let index = self.sides_to_move.len() as u32;
        self.sides_to_move.push(state.to_move);
        self.next.push(Vec::new());
        pending.push(state.clone());
        self.indices.insert(state, index);
        index
    }

    fn moves(&mut self, state: &State, pending: &mut Vec<State>) -> Vec<Next> {
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
            moves.push(Next::State(self.index(after, pending)));
        }
        moves.push(if state.passed {
            Next::End(state.board.area_lead() as i8)
        } else {
            let after = State {
                passed: true,
                ..State::quiet(state.board.clone(), to_move)
            };
            Next::State(self.index(after, pending))
        });
        moves
    }

    /// Returns Black's lead from every position, if an endless game is worth `endless` to Black.
    pub fn values(&self, endless: i8) -> Vec<i8> {
        let mut values = vec![endless; self.next.len()];
        loop {
            let mut changed = false;
            for (state, moves) in self.next.iter().enumerate() {
                let values_after = moves.iter().map(|next| match next {
                    Next::State(other) => values[*other as usize],
                    Next::End(area_lead) => *area_lead,
                });
                let value = match self.sides_to_move[state] {
                    Color::Black => values_after.max(),
                    Color::White => values_after.min(),
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

    /// Returns the index of a position without a ko or a previous pass.
    pub fn quiet(&self, board: &NaiveBoard, to_move: Color) -> Option<u32> {
        let state = State::quiet(board.clone(), to_move);
        self.indices.get(&state).copied()
    }
}
