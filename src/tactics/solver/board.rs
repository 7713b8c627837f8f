//! Board of the solver: moves, and hash keys under all symmetries.

use super::node::{HASH_SEED, NUM_SYMMETRIES, Node, Set, SymmetryKeys};
use crate::random::splitmix64;
use crate::tactics::bitboard::word::Word;
use crate::tactics::bitboard::{BoardGeometry, Stones};

/// Maximum number of points that `SolverEntry::captured` can represent.
pub const CAPTURED_BITS: u32 = 25;

/// Board geometry, symmetries and hash keys.
#[derive(Debug)]
pub struct SolverBoard {
    geometry: BoardGeometry<Set>,
    /// Keys of each point: for an own stone, an opponent stone and the ko point.
    keys: Vec<[SymmetryKeys; 3]>,
    /// Image of each point under each symmetry.
    images: [Vec<u8>; NUM_SYMMETRIES],
    /// Preimage of each point under each symmetry.
    inverse_images: [Vec<u8>; NUM_SYMMETRIES],
}

const PROVER_STONE_KEY: usize = 0;
const OTHER_STONE_KEY: usize = 1;
const KO_POINT_KEY: usize = 2;
const LAST_WAS_PASS_KEY: u64 = splitmix64(HASH_SEED + 2);

fn toggle_keys(keys: &mut SymmetryKeys, mask: &SymmetryKeys) {
    for (key, mask) in keys.iter_mut().zip(mask) {
        *key ^= mask;
    }
}

/// Returns the image of the point `index` under a symmetry. If the board is not square, the symmetries that a rectangle
/// lacks are replaced by the identity.
fn point_image(geometry: &BoardGeometry<Set>, symmetry: usize, index: u32) -> u32 {
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
    /// Creates the board with the given geometry and precomputes its tables.
    pub fn new(geometry: BoardGeometry<Set>) -> Self {
        let empty = || vec![0_u8; Set::BITS as usize];
        let mut images: [Vec<u8>; NUM_SYMMETRIES] = std::array::from_fn(|_| empty());
        let mut inverse_images: [Vec<u8>; NUM_SYMMETRIES] = std::array::from_fn(|_| empty());
        let mut keys = vec![[[0; NUM_SYMMETRIES]; 3]; Set::BITS as usize];
        for index in geometry.all_points().indices() {
            for symmetry in 0..NUM_SYMMETRIES {
                let image = point_image(&geometry, symmetry, index);
                images[symmetry][index as usize] = image as u8;
                inverse_images[symmetry][image as usize] = index as u8;
                for (kind, keys) in keys[index as usize].iter_mut().enumerate() {
                    keys[symmetry] =
                        splitmix64(HASH_SEED ^ u64::from(image) << 8 ^ (kind as u64) << 32);
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

    /// Returns the geometry of the board.
    pub const fn geometry(&self) -> &BoardGeometry<Set> {
        &self.geometry
    }

    /// Creates the node for the given stones and side to move, with no ko and no preceding pass.
    pub fn root_node(&self, stones: Stones<Set>, prover_to_move: bool) -> Node {
        let mut keys = [0; NUM_SYMMETRIES];
        for (set, kind) in [
            (stones.own, PROVER_STONE_KEY),
            (stones.opponent, OTHER_STONE_KEY),
        ] {
            for index in set.indices() {
                toggle_keys(&mut keys, &self.keys[index as usize][kind]);
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

    /// Returns the table key of a position with its history, and the symmetry under which the key was computed.
    /// Symmetric positions have equal keys.
    pub fn key(&self, node: &Node, history: &SymmetryKeys) -> (u64, usize) {
        let mut keys = node.keys;
        if !node.ko.is_empty() {
            toggle_keys(
                &mut keys,
                &self.keys[node.ko.lowest_index() as usize][KO_POINT_KEY],
            );
        }
        let pass = if node.last_was_pass {
            LAST_WAS_PASS_KEY
        } else {
            0
        };
        for (key, history_key) in keys.iter_mut().zip(history) {
            *key ^= history_key.rotate_left(1);
        }
        let mut canonical = 0;
        for candidate in 1..NUM_SYMMETRIES {
            if keys[candidate] < keys[canonical] {
                canonical = candidate;
            }
        }
        (keys[canonical] ^ node.side_to_move_key() ^ pass, canonical)
    }

    /// Maps a move to its image under a symmetry. Other move codes, such as a pass, are returned unchanged.
    pub fn move_image(&self, symmetry: usize, index: u8) -> u8 {
        self.images[symmetry]
            .get(usize::from(index))
            .copied()
            .unwrap_or(index)
    }

    /// Maps a move back from its image under a symmetry.
    pub fn original_move(&self, symmetry: usize, index: u8) -> u8 {
        self.inverse_images[symmetry]
            .get(usize::from(index))
            .copied()
            .unwrap_or(index)
    }

    /// Packs the image of a set under a symmetry, omitting the padding columns. Returns `None` if the image does not
    /// fit in [`CAPTURED_BITS`] bits.
    pub fn pack_set(&self, symmetry: usize, set: Set) -> Option<u32> {
        let mut packed = 0;
        for index in set.indices() {
            let dense_index = self.dense_index(self.images[symmetry][index as usize].into());
            if dense_index >= CAPTURED_BITS {
                return None;
            }
            packed |= 1 << dense_index;
        }
        Some(packed)
    }

    /// Restores a set from its packed image under a symmetry.
    pub fn unpack_set(&self, symmetry: usize, packed: u32) -> Set {
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

    /// Returns the position after a pass.
    pub fn after_pass(&self, node: &Node) -> Node {
        Node {
            ko: Set::EMPTY,
            prover_to_move: !node.prover_to_move,
            last_was_pass: true,
            ..*node
        }
    }

    /// Returns the position after placing a stone on an empty point, and the captured stones. Returns `None` if the
    /// move is illegal.
    pub fn after_move(&self, node: &Node, index: u32) -> Option<(Node, Set)> {
        let point = Set::single(index);
        if point == node.ko {
            return None;
        }
        let effect = self
            .geometry
            .play(&node.stones, node.prover_to_move, point)?;
        let kinds = if node.prover_to_move {
            [PROVER_STONE_KEY, OTHER_STONE_KEY]
        } else {
            [OTHER_STONE_KEY, PROVER_STONE_KEY]
        };
        let mut keys = node.keys;
        toggle_keys(&mut keys, &self.keys[index as usize][kinds[0]]);
        for captured in effect.captured.indices() {
            toggle_keys(&mut keys, &self.keys[captured as usize][kinds[1]]);
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
