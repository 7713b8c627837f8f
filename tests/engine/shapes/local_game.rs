//! Exhaustive solution of a local fight: all positions that can be reached inside a region, with retrograde analysis.
//!
//! Stones outside the region are never captured. A fight that never ends is a failure of the attacker. Fights that
//! depend on a ko have no result: they end differently if one side may retake every ko immediately.

use std::collections::HashMap;

use honinbo::game::color::Color;

use crate::naive::{NaiveBoard, Place};

/// Maximum number of positions of a fight. Larger fights have no result.
const MAX_POSITIONS: usize = 40_000;

/// Status of a stone in a region, if both sides play only there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The stone is captured even if its owner moves first.
    Dead,
    /// The stone is captured only if the opponent moves first.
    Unsettled,
    /// The stone survives even if the opponent moves first.
    Survives,
}

/// A region of a board in which both sides may play. Sets of points are bit masks.
pub struct LocalGame {
    places: Vec<Place>,
    neighbours: Vec<u32>,
    /// For each colour, the points next to a stone outside that is never captured.
    supported: [u32; 2],
    start: Stones,
}

/// The stones of Black and White.
type Stones = [u32; 2];

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    stones: Stones,
    to_move: u8,
    after_pass: bool,
    /// The point that the side to move may not retake, as a bit mask.
    ko: u32,
}

impl LocalGame {
    pub fn new(board: &NaiveBoard, region: &[Place]) -> Self {
        let mut places = region.to_vec();
        places.sort_unstable();
        places.dedup();
        assert!(places.len() <= 32, "a small region");
        let mask_of = |passes: &dyn Fn(Place) -> bool| {
            let members = places
                .iter()
                .enumerate()
                .filter(|(_, place)| passes(**place));
            members.fold(0, |mask, (index, _)| mask | 1 << index)
        };
        let neighbours = places
            .iter()
            .map(|&place| {
                let near: Vec<Place> = board.neighbours(place).collect();
                mask_of(&|other| near.contains(&other))
            })
            .collect();
        let supported = Color::BOTH.map(|color| {
            mask_of(&|place| {
                board
                    .neighbours(place)
                    .any(|next| !places.contains(&next) && board.at(next) == Some(color))
            })
        });
        let start = Color::BOTH.map(|color| mask_of(&|place| board.at(place) == Some(color)));
        Self {
            neighbours,
            supported,
            start,
            places,
        }
    }

    /// Returns the fate of the stone at `place`, or `None` if the fight is too large or depends on a ko.
    pub fn fate(&self, place: Place) -> Option<Fate> {
        let index = self.places.iter().position(|&other| other == place)?;
        let target = 1 << index;
        let owner = usize::from(self.start[1] & target != 0);
        let [attacker_first, owner_first] = self.captured(target, owner, owner)?;
        if [attacker_first, owner_first] != self.captured(target, owner, 1 - owner)? {
            return None;
        }
        Some(match (attacker_first, owner_first) {
            (_, true) => Fate::Dead,
            (true, false) => Fate::Unsettled,
            (false, false) => Fate::Survives,
        })
    }

    /// Returns whether the stone `target` of `owner` is captured if the attacker moves first, and if the owner does.
    /// The side `immune` may retake every ko immediately.
    fn captured(&self, target: u32, owner: usize, immune: usize) -> Option<[bool; 2]> {
        let mut numbers: HashMap<State, usize> = HashMap::new();
        let mut states = Vec::new();
        let mut number_of = |state: State, states: &mut Vec<State>| {
            *numbers.entry(state).or_insert_with(|| {
                states.push(state);
                states.len() - 1
            })
        };
        for to_move in [1 - owner, owner] {
            let state = State {
                stones: self.start,
                to_move: to_move as u8,
                after_pass: false,
                ko: 0,
            };
            number_of(state, &mut states);
        }
        // For each position, the numbers of the positions from which it is reached, and the number of moves from it. A
        // pass after a pass ends the fight, and the stone survives.
        let mut predecessors: Vec<Vec<usize>> = Vec::new();
        let mut moves = Vec::new();
        let mut done = 0;
        while done < states.len() {
            if states.len() > MAX_POSITIONS {
                return None;
            }
            let state = states[done];
            let is_captured = state.stones[owner] & target == 0;
            // The owner's wall lives, so an attacker without stones inside it has lost.
            let is_saved = self.supported[1 - owner] == 0 && state.stones[1 - owner] == 0;
            let successors = if is_captured || is_saved {
                Vec::new()
            } else {
                self.successors(state, immune)
            };
            moves.push(successors.len() + usize::from(state.after_pass || is_saved));
            for next in successors {
                let number = number_of(next, &mut states);
                if predecessors.len() <= number {
                    predecessors.resize(number + 1, Vec::new());
                }
                predecessors[number].push(done);
            }
            done += 1;
        }
        predecessors.resize(states.len(), Vec::new());
        let wins = wins_of_attacker(&states, target, owner, &predecessors, &mut moves);
        Some([wins[0], wins[1]])
    }

    fn successors(&self, state: State, immune: usize) -> Vec<State> {
        let occupied = state.stones[0] | state.stones[1];
        let forbidden = match usize::from(state.to_move) {
            side if side == immune => 0,
            _ => state.ko,
        };
        let points =
            (0..self.places.len()).filter(|index| (occupied | forbidden) >> index & 1 == 0);
        let placed = points.filter_map(|index| self.play(state, index));
        let pass = (!state.after_pass).then_some(State {
            to_move: 1 - state.to_move,
            after_pass: true,
            ko: 0,
            ..state
        });
        pass.into_iter().chain(placed).collect()
    }

    /// Returns the position after a move, or `None` if it is suicide.
    fn play(&self, state: State, index: usize) -> Option<State> {
        let (own, other) = (usize::from(state.to_move), usize::from(1 - state.to_move));
        let mut stones = state.stones;
        stones[own] |= 1 << index;
        for near in 0..self.places.len() {
            let bit = 1 << near;
            if self.neighbours[index] & bit != 0 && stones[other] & bit != 0 {
                let chain = self.chain(&stones, other, bit);
                if !self.has_liberty(&stones, other, chain) {
                    stones[other] &= !chain;
                }
            }
        }
        let chain = self.chain(&stones, own, 1 << index);
        if !self.has_liberty(&stones, own, chain) {
            return None;
        }
        let captured = state.stones[other] & !stones[other];
        let liberties = self.near(chain) & !(stones[0] | stones[1]);
        let is_ko = captured.count_ones() == 1
            && chain.count_ones() == 1
            && liberties == captured
            && chain & self.supported[own] == 0;
        Some(State {
            stones,
            to_move: 1 - state.to_move,
            after_pass: false,
            ko: if is_ko { captured } else { 0 },
        })
    }

    fn chain(&self, stones: &Stones, color: usize, start: u32) -> u32 {
        let mut chain = start;
        loop {
            let grown = chain | self.near(chain) & stones[color];
            if grown == chain {
                return chain;
            }
            chain = grown;
        }
    }

    fn has_liberty(&self, stones: &Stones, color: usize, chain: u32) -> bool {
        let empty = !(stones[0] | stones[1]) & ((1u64 << self.places.len()) - 1) as u32;
        chain & self.supported[color] != 0 || self.near(chain) & empty != 0
    }

    fn near(&self, set: u32) -> u32 {
        let members = (0..self.places.len()).filter(|index| set >> index & 1 != 0);
        members.fold(0, |near, index| near | self.neighbours[index])
    }
}

/// Returns for each position whether the attacker can capture the stone `target` of `owner`, working backwards from the
/// positions without it. `moves` holds the number of moves that may still save the stone.
fn wins_of_attacker(
    states: &[State],
    target: u32,
    owner: usize,
    predecessors: &[Vec<usize>],
    moves: &mut [usize],
) -> Vec<bool> {
    let mut wins: Vec<bool> = (states.iter())
        .map(|state| state.stones[owner] & target == 0)
        .collect();
    let mut queue: Vec<usize> = (0..states.len()).filter(|&number| wins[number]).collect();
    while let Some(number) = queue.pop() {
        for &before in &predecessors[number] {
            if wins[before] {
                continue;
            }
            moves[before] -= 1;
            if usize::from(states[before].to_move) != owner || moves[before] == 0 {
                wins[before] = true;
                queue.push(before);
            }
        }
    }
    wins
}
