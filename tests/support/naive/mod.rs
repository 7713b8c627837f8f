//! A second, deliberately simple implementation of the rules of Go: rows of letters, flood fill, and a list of whole
//! boards. Several test programs use it.
//!
//! It shares only the types for colours and ko rules with the engine, so a mistake goes unnoticed only if both
//! implementations make it.

pub mod bridge;

use std::collections::HashSet;

use honinbo::game::color::Color;
use honinbo::game::rules::KoRule;
use honinbo::random::Rng;

/// Column from the left and row from the top, counted from 0.
pub type Place = (usize, usize);

const EMPTY: u8 = b'.';
const BLACK: u8 = b'X';
const WHITE: u8 = b'O';

/// Rows of `.`, `X` and `O`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NaiveBoard {
    rows: Vec<Vec<u8>>,
}

/// A chain of stones.
#[derive(Clone, Debug)]
pub struct NaiveChain {
    pub color: Color,
    pub stones: Vec<Place>,
    pub liberties: Vec<Place>,
}

/// The board after a stone has been played.
pub struct After {
    pub board: NaiveBoard,
    /// Captured stones: the opponent's, or the player's own in the case of suicide.
    pub captured: Vec<Place>,
    pub suicide: bool,
}

impl After {
    /// Returns the point of a basic ko: the opponent may not retake the stone at `place` immediately.
    pub fn retaken_at(&self, place: Place) -> Option<Place> {
        if self.suicide || self.captured.len() != 1 {
            return None;
        }
        let own = self.board.chain(place);
        (own.stones.len() == 1 && own.liberties.len() == 1).then(|| self.captured[0])
    }
}

impl NaiveBoard {
    pub fn new(width: usize, height: usize) -> Self {
        Self {
            rows: vec![vec![EMPTY; width]; height],
        }
    }

    /// Creates a board with random stones on about `density` of its points, without chains that have no liberty.
    pub fn random(width: usize, height: usize, density: f64, rng: &mut Rng) -> Self {
        let mut board = Self::new(width, height);
        for place in board.places() {
            if rng.chance(density) {
                board.set(place, Some(Color::BOTH[rng.below(2)]));
            }
        }
        for place in board.places() {
            if board.at(place).is_some() && board.chain(place).liberties.is_empty() {
                board.set(place, None);
            }
        }
        board
    }

    pub fn width(&self) -> usize {
        self.rows[0].len()
    }

    pub fn height(&self) -> usize {
        self.rows.len()
    }

    pub fn at(&self, (column, row): Place) -> Option<Color> {
        match self.rows[row][column] {
            BLACK => Some(Color::Black),
            WHITE => Some(Color::White),
            _ => None,
        }
    }

    pub fn set(&mut self, (column, row): Place, color: Option<Color>) {
        self.rows[row][column] = match color {
            None => EMPTY,
            Some(Color::Black) => BLACK,
            Some(Color::White) => WHITE,
        };
    }

    pub fn places(&self) -> Vec<Place> {
        let width = self.width();
        (0..self.height())
            .flat_map(|row| (0..width).map(move |column| (column, row)))
            .collect()
    }

    pub fn stones(&self, color: Color) -> Vec<Place> {
        let mut places = self.places();
        places.retain(|&place| self.at(place) == Some(color));
        places
    }

    pub fn empty(&self) -> Vec<Place> {
        let mut places = self.places();
        places.retain(|&place| self.at(place).is_none());
        places
    }

    pub fn neighbours(&self, (column, row): Place) -> impl Iterator<Item = Place> + use<> {
        let left = (column > 0).then(|| (column - 1, row));
        let above = (row > 0).then(|| (column, row - 1));
        let right = (column + 1 < self.width()).then_some((column + 1, row));
        let below = (row + 1 < self.height()).then_some((column, row + 1));
        [left, above, right, below].into_iter().flatten()
    }

    /// Returns `start` and all places connected to it through places for which `passes` returns true.
    pub fn flood(&self, start: Place, passes: impl Fn(Place) -> bool) -> Vec<Place> {
        let mut reached = vec![start];
        let mut seen = vec![false; self.width() * self.height()];
        seen[start.1 * self.width() + start.0] = true;
        let mut next = 0;
        while next < reached.len() {
            for place in self.neighbours(reached[next]) {
                let seen = &mut seen[place.1 * self.width() + place.0];
                if !*seen && passes(place) {
                    *seen = true;
                    reached.push(place);
                }
            }
            next += 1;
        }
        reached
    }

    /// Returns the chain of the stone at `place`.
    pub fn chain(&self, place: Place) -> NaiveChain {
        let color = self.at(place).expect("a stone");
        let stones = self.flood(place, |next| self.at(next) == Some(color));
        let mut liberties: Vec<Place> = stones.iter().flat_map(|&at| self.neighbours(at)).collect();
        liberties.retain(|&place| self.at(place).is_none());
        liberties.sort_unstable();
        liberties.dedup();
        NaiveChain {
            color,
            stones,
            liberties,
        }
    }

    pub fn chains(&self) -> Vec<NaiveChain> {
        let mut seen = HashSet::new();
        let mut chains = Vec::new();
        for place in self.places() {
            if self.at(place).is_some() && !seen.contains(&place) {
                let chain = self.chain(place);
                seen.extend(chain.stones.iter().copied());
                chains.push(chain);
            }
        }
        chains
    }

    pub fn after(&self, color: Color, place: Place) -> After {
        let mut board = self.clone();
        board.set(place, Some(color));
        let mut captured = Vec::new();
        for next in self.neighbours(place) {
            if board.at(next) == Some(color.opposite()) && !captured.contains(&next) {
                let chain = board.chain(next);
                if chain.liberties.is_empty() {
                    captured.extend(chain.stones);
                }
            }
        }
        for &stone in &captured {
            board.set(stone, None);
        }
        let own = board.chain(place);
        let suicide = own.liberties.is_empty();
        if suicide {
            captured = own.stones;
            for &stone in &captured {
                board.set(stone, None);
            }
        }
        After {
            board,
            captured,
            suicide,
        }
    }

    /// Returns the Tromp-Taylor owner of a place: the colour of its stone, or the only colour reached from an empty
    /// place.
    pub fn owner(&self, place: Place) -> Option<Color> {
        if self.at(place).is_some() {
            return self.at(place);
        }
        let region = self.flood(place, |next| self.at(next).is_none());
        let reaches = |color| {
            region
                .iter()
                .flat_map(|&empty| self.neighbours(empty))
                .any(|next| self.at(next) == Some(color))
        };
        match (reaches(Color::Black), reaches(Color::White)) {
            (true, false) => Some(Color::Black),
            (false, true) => Some(Color::White),
            _ => None,
        }
    }

    /// Returns Black's lead in area if all stones are alive.
    pub fn area_lead(&self) -> i32 {
        let owners = self.places().into_iter().filter_map(|at| self.owner(at));
        owners.map(|owner| owner.to_perspective(1)).sum()
    }

    /// Benson's theorem, implemented literally: returns the unconditionally alive stones of a colour, and the points
    /// of their vital regions.
    pub fn benson(&self, color: Color, suicide: bool) -> (HashSet<Place>, HashSet<Place>) {
        let mut chains = self.chains();
        chains.retain(|chain| chain.color == color);
        let mut regions: Vec<Vec<Place>> = Vec::new();
        for place in self.places() {
            if self.at(place) != Some(color) && !regions.iter().any(|r| r.contains(&place)) {
                regions.push(self.flood(place, |next| self.at(next) != Some(color)));
            }
        }
        let touches = |chain: &NaiveChain, place: Place| {
            self.neighbours(place)
                .any(|next| chain.stones.contains(&next))
        };
        // If suicide is legal, places of opposing stones may become empty too.
        let vital = |chain: &NaiveChain, region: &Vec<Place>| {
            region
                .iter()
                .filter(|&&place| suicide || self.at(place).is_none())
                .all(|&place| touches(chain, place))
        };
        loop {
            let before = (chains.len(), regions.len());
            chains.retain(|chain| regions.iter().filter(|r| vital(chain, r)).count() >= 2);
            regions.retain(|region| {
                let borders: HashSet<Place> = region
                    .iter()
                    .flat_map(|&place| self.neighbours(place))
                    .filter(|&next| self.at(next) == Some(color))
                    .collect();
                borders
                    .iter()
                    .all(|stone| chains.iter().any(|chain| chain.stones.contains(stone)))
            });
            if before == (chains.len(), regions.len()) {
                break;
            }
        }
        regions.retain(|region| chains.iter().any(|chain| vital(chain, region)));
        (
            chains.into_iter().flat_map(|chain| chain.stones).collect(),
            regions.into_iter().flatten().collect(),
        )
    }
}

/// Legality of a stone at an empty place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legality {
    Legal,
    Suicide,
    Repeats,
}

/// A game with all its earlier boards.
pub struct NaiveGame {
    pub board: NaiveBoard,
    /// The board before each move and the colour that moved, oldest first.
    pub line: Vec<(NaiveBoard, Color)>,
    /// All boards so far with Black to move and with White to move.
    seen: [HashSet<NaiveBoard>; 2],
    /// All boards since the last pass, with the colour to move.
    since_pass: Vec<(NaiveBoard, Color)>,
    /// Number of captured stones by colour.
    pub prisoners: [u32; 2],
}

impl NaiveGame {
    pub fn new(board: NaiveBoard, to_move: Color) -> Self {
        let mut seen = [HashSet::new(), HashSet::new()];
        seen[to_move as usize].insert(board.clone());
        Self {
            since_pass: vec![(board.clone(), to_move)],
            board,
            line: Vec::new(),
            seen,
            prisoners: [0, 0],
        }
    }

    pub fn legality(&self, ko: KoRule, suicide: bool, color: Color, after: &After) -> Legality {
        // A move that does not change the board is illegal.
        if after.suicide && (!suicide || after.board == self.board) {
            return Legality::Suicide;
        }
        let seen = |turn: Color| self.seen[turn as usize].contains(&after.board);
        // A move may not undo the opponent's last move.
        let undoes =
            (self.line.last()).is_some_and(|(before, by)| *by != color && *before == after.board);
        let repeats = match ko {
            KoRule::Simple => undoes,
            KoRule::Positional => seen(Color::Black) || seen(Color::White),
            KoRule::Situational => undoes || seen(color.opposite()),
        };
        if repeats {
            Legality::Repeats
        } else {
            Legality::Legal
        }
    }

    /// Returns the number of times that the current board has occurred with the same colour to move since the last
    /// pass.
    pub fn occurrences(&self) -> usize {
        let last = self.since_pass.last();
        let same = self
            .since_pass
            .iter()
            .filter(|&position| Some(position) == last);
        same.count()
    }

    /// Plays a move, whether legal or not. `None` is a pass.
    pub fn play(&mut self, color: Color, place: Option<Place>) {
        self.line.push((self.board.clone(), color));
        if let Some(place) = place {
            let after = self.board.after(color, place);
            let owner = if after.suicide {
                color
            } else {
                color.opposite()
            };
            self.prisoners[owner as usize] += after.captured.len() as u32;
            self.board = after.board;
        }
        let to_move = color.opposite();
        self.seen[to_move as usize].insert(self.board.clone());
        if place.is_none() {
            self.since_pass.clear();
        }
        self.since_pass.push((self.board.clone(), to_move));
    }
}
