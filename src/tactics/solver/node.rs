//! A position of the solver, and its keys under all symmetries of the board.

use crate::random::splitmix64;
use crate::tactics::bitboard::word::Word;
use crate::tactics::bitboard::{BoardGeometry, Stones};

/// Points of the solver's board.
pub type Set = u64;

/// Points that `captured` has room for.
pub const MAX_CAPTURED_POINTS: u32 = 25;
/// As many as a square board has.
const SYMMETRIES: usize = 8;
/// Seed of the keys; any number would do.
const SEED: u64 = 0x050_17e4;

/// The keys of something and of its mirror images.
pub type Keys = [u64; SYMMETRIES];

/// The keys of a past without positions.
pub const NO_HISTORY: Keys = [0; SYMMETRIES];

/// A position as the prover sees it: `own` stones are its own.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The stones.
    pub stones: Stones<Set>,
    /// The point that the side to move may not take back at once.
    pub ko: Set,
    /// Whether the prover is to move.
    pub prover_to_move: bool,
    /// Whether the last move was a pass.
    pub last_was_pass: bool,
    /// The hash of the stones seen through each symmetry.
    keys: Keys,
}

impl Node {
    /// The hash of the stones as they stand.
    #[must_use]
    pub const fn stones_key(&self) -> u64 {
        self.keys[0]
    }

    /// Adds the stones and the turn to the keys of a past.
    pub fn xor_into(&self, history: &mut Keys) {
        let turn = if self.prover_to_move {
            PROVER_TO_MOVE
        } else {
            0
        };
        for (history_key, key) in history.iter_mut().zip(self.keys) {
            *history_key ^= splitmix64(key ^ turn);
        }
    }
}

/// The board, its symmetries, and the keys of its stones.
#[derive(Debug)]
pub struct SolverBoard {
    geometry: BoardGeometry<Set>,
    /// By point, of own stones, other stones and kos.
    keys: Vec<[Keys; 3]>,
    /// The image of each point under each symmetry, and the point that has it as its image.
    images: [Vec<u8>; SYMMETRIES],
    inverse_images: [Vec<u8>; SYMMETRIES],
}

const OWN: usize = 0;
const OPPONENT: usize = 1;
const KO: usize = 2;
const PROVER_TO_MOVE: u64 = splitmix64(SEED + 1);
const LAST_WAS_PASS: u64 = splitmix64(SEED + 2);

fn toggle(keys: &mut Keys, mask: &Keys) {
    for (key, mask) in keys.iter_mut().zip(mask) {
        *key ^= mask;
    }
}

/// The image of a point under a symmetry of the board; a rectangle has the identity in place of those it lacks.
fn image(geometry: &BoardGeometry<Set>, symmetry: usize, index: u32) -> u32 {
    let (mut x, mut y) = geometry.coordinates(index);
    let is_transposed = symmetry & 4 != 0;
    if is_transposed && geometry.width() != geometry.height() {
        return index;
    }
    if symmetry & 1 != 0 {
        x = geometry.width() - 1 - x;
    }
    if symmetry & 2 != 0 {
        y = geometry.height() - 1 - y;
    }
    if is_transposed {
        (x, y) = (y, x);
    }
    geometry.index(x, y)
}

impl SolverBoard {
    /// The board with keys for each of its points.
    #[must_use]
    pub fn new(geometry: BoardGeometry<Set>) -> Self {
        let empty = || vec![0_u8; Set::BITS as usize];
        let mut images: [Vec<u8>; SYMMETRIES] = std::array::from_fn(|_| empty());
        let mut inverse_images: [Vec<u8>; SYMMETRIES] = std::array::from_fn(|_| empty());
        let mut keys = vec![[[0; SYMMETRIES]; 3]; Set::BITS as usize];
        for index in geometry.area().indices() {
            for symmetry in 0..SYMMETRIES {
                let image = image(&geometry, symmetry, index);
                images[symmetry][index as usize] = image as u8;
                inverse_images[symmetry][image as usize] = index as u8;
                for (kind, keys) in keys[index as usize].iter_mut().enumerate() {
                    keys[symmetry] = splitmix64(SEED ^ u64::from(image) << 8 ^ (kind as u64) << 32);
                }
            }
        }
        Self {
            geometry,
            keys,
            images,
            inverse_images,
        }
    }

    /// Its shape.
    #[must_use]
    pub const fn geometry(&self) -> &BoardGeometry<Set> {
        &self.geometry
    }

    /// The position of those stones.
    #[must_use]
    pub fn node(&self, stones: Stones<Set>, prover_to_move: bool) -> Node {
        let mut keys = [0; SYMMETRIES];
        for (set, kind) in [(stones.own, OWN), (stones.opponent, OPPONENT)] {
            for index in set.indices() {
                toggle(&mut keys, &self.keys[index as usize][kind]);
            }
        }
        Node {
            stones,
            ko: Set::EMPTY,
            prover_to_move,
            last_was_pass: false,
            keys,
        }
    }

    /// The key of the position with a past of those keys, and the symmetry through which it was taken; with `use_symmetry`
    /// the key is the same for all mirror images.
    #[must_use]
    pub fn key(&self, node: &Node, history: &Keys, use_symmetry: bool) -> (u64, usize) {
        let mut keys = node.keys;
        if !node.ko.is_empty() {
            toggle(&mut keys, &self.keys[node.ko.lowest_index() as usize][KO]);
        }
        let turn = if node.prover_to_move {
            PROVER_TO_MOVE
        } else {
            0
        };
        let pass = if node.last_was_pass { LAST_WAS_PASS } else { 0 };
        for (key, history_key) in keys.iter_mut().zip(history) {
            *key ^= history_key.rotate_left(1);
        }
        let num_symmetries = if use_symmetry { SYMMETRIES } else { 1 };
        let mut canonical = 0;
        for candidate in 1..num_symmetries {
            if keys[candidate] < keys[canonical] {
                canonical = candidate;
            }
        }
        (keys[canonical] ^ turn ^ pass, canonical)
    }

    /// A move's number as it is seen through a symmetry; passes are the same through all.
    #[must_use]
    pub fn to_canonical(&self, symmetry: usize, index: u8) -> u8 {
        self.images[symmetry]
            .get(usize::from(index))
            .copied()
            .unwrap_or(index)
    }

    /// The move that is seen so through a symmetry.
    #[must_use]
    pub fn from_canonical(&self, symmetry: usize, index: u8) -> u8 {
        self.inverse_images[symmetry]
            .get(usize::from(index))
            .copied()
            .unwrap_or(index)
    }

    /// A set of points seen through a symmetry, without the padding; nothing if it has no room.
    #[must_use]
    pub fn pack(&self, symmetry: usize, set: Set) -> Option<u32> {
        let mut packed = 0;
        for index in set.indices() {
            let dense_index = self.dense_index(self.images[symmetry][index as usize].into());
            if dense_index >= MAX_CAPTURED_POINTS {
                return None;
            }
            packed |= 1 << dense_index;
        }
        Some(packed)
    }

    /// The set of points that was packed so.
    #[must_use]
    pub fn unpack(&self, symmetry: usize, packed: u32) -> Set {
        let mut set = Set::EMPTY;
        for dense_index in u64::from(packed).indices() {
            let width = self.geometry.width();
            let image = self
                .geometry
                .index(dense_index % width, dense_index / width);
            set |= Set::single(self.inverse_images[symmetry][image as usize].into());
        }
        set
    }

    fn dense_index(&self, index: u32) -> u32 {
        let (column, row) = self.geometry.coordinates(index);
        row * self.geometry.width() + column
    }

    /// The position after a pass.
    #[must_use]
    pub fn after_pass(&self, node: &Node) -> Node {
        Node {
            ko: Set::EMPTY,
            prover_to_move: !node.prover_to_move,
            last_was_pass: true,
            ..*node
        }
    }

    /// The position after a stone on the empty point, and what it took; nothing if it is not allowed.
    #[must_use]
    pub fn after_move(&self, node: &Node, index: u32) -> Option<(Node, Set)> {
        let point = Set::single(index);
        if point == node.ko {
            return None;
        }
        let effect = self
            .geometry
            .play(&node.stones, node.prover_to_move, point)?;
        let kinds = if node.prover_to_move {
            [OWN, OPPONENT]
        } else {
            [OPPONENT, OWN]
        };
        let mut keys = node.keys;
        toggle(&mut keys, &self.keys[index as usize][kinds[0]]);
        for captured in effect.captured.indices() {
            toggle(&mut keys, &self.keys[captured as usize][kinds[1]]);
        }
        let next = Node {
            stones: effect.stones,
            ko: effect.ko,
            prover_to_move: !node.prover_to_move,
            last_was_pass: false,
            keys,
        };
        Some((next, effect.captured))
    }
}
