//! A position of the solver, and its keys under all symmetries of the board.

use super::entry::TAKEN_POINTS;
use crate::rng::splitmix64;
use crate::tactics::patch::word::Word;
use crate::tactics::patch::{Patch, Stones};

/// As many as a square board has.
const SYMMETRIES: usize = 8;
/// Seed of the keys; any number would do.
const SEED: u64 = 0x050_17e4;

/// The keys of something and of its mirror images.
pub type Keys = [u64; SYMMETRIES];

/// The keys of a past without positions.
pub const NO_PAST: Keys = [0; SYMMETRIES];

/// A position as the prover sees it: `own` stones are its own.
#[derive(Clone, Copy, Debug)]
pub struct Node<W> {
    /// The stones.
    pub stones: Stones<W>,
    /// The point that the side to move may not take back at once.
    pub ko: W,
    /// Whether the prover is to move.
    pub own_to_move: bool,
    /// Whether the last move was a pass.
    pub passed: bool,
    /// The hash of the stones seen through each symmetry.
    keys: Keys,
}

impl<W: Word> Node<W> {
    /// The hash of the stones as they stand.
    #[must_use]
    pub const fn plain_key(&self) -> u64 {
        self.keys[0]
    }

    /// Adds the stones and the turn to the keys of a past.
    pub fn add_to(&self, past: &mut Keys) {
        let turn = if self.own_to_move { OWN_TO_MOVE } else { 0 };
        for (past, key) in past.iter_mut().zip(self.keys) {
            *past ^= splitmix64(key ^ turn);
        }
    }
}

/// The board, its symmetries, and the keys of its stones.
#[derive(Debug)]
pub struct Ground<W> {
    patch: Patch<W>,
    /// By point, of own stones, other stones and kos.
    keys: Vec<[Keys; 3]>,
    /// The image of each point under each symmetry, and the point that has it as its image.
    images: [Vec<u8>; SYMMETRIES],
    origins: [Vec<u8>; SYMMETRIES],
}

const OWN: usize = 0;
const OTHER: usize = 1;
const KO: usize = 2;
const OWN_TO_MOVE: u64 = splitmix64(SEED + 1);
const PASSED: u64 = splitmix64(SEED + 2);

fn toggle(keys: &mut Keys, by: &Keys) {
    for (key, by) in keys.iter_mut().zip(by) {
        *key ^= by;
    }
}

/// The image of a point under a symmetry of the board; a rectangle has the identity in place of those it lacks.
fn image<W: Word>(patch: &Patch<W>, symmetry: usize, number: u32) -> u32 {
    let (mut x, mut y) = patch.place_of(number);
    let turned = symmetry & 4 != 0;
    if turned && patch.width() != patch.height() {
        return number;
    }
    if symmetry & 1 != 0 {
        x = patch.width() - 1 - x;
    }
    if symmetry & 2 != 0 {
        y = patch.height() - 1 - y;
    }
    if turned {
        (x, y) = (y, x);
    }
    patch.number(x, y)
}

impl<W: Word> Ground<W> {
    /// The board with keys for each of its points.
    #[must_use]
    pub fn new(patch: Patch<W>) -> Self {
        let empty = || vec![0_u8; W::BITS as usize];
        let mut images: [Vec<u8>; SYMMETRIES] = std::array::from_fn(|_| empty());
        let mut origins: [Vec<u8>; SYMMETRIES] = std::array::from_fn(|_| empty());
        let mut keys = vec![[[0; SYMMETRIES]; 3]; W::BITS as usize];
        for number in patch.area().points() {
            for symmetry in 0..SYMMETRIES {
                let image = image(&patch, symmetry, number);
                images[symmetry][number as usize] = image as u8;
                origins[symmetry][image as usize] = number as u8;
                for (kind, keys) in keys[number as usize].iter_mut().enumerate() {
                    keys[symmetry] = splitmix64(SEED ^ u64::from(image) << 8 ^ (kind as u64) << 32);
                }
            }
        }
        Self {
            patch,
            keys,
            images,
            origins,
        }
    }

    /// Its shape.
    #[must_use]
    pub const fn patch(&self) -> &Patch<W> {
        &self.patch
    }

    /// The position of those stones.
    #[must_use]
    pub fn node(&self, stones: Stones<W>, own_to_move: bool) -> Node<W> {
        let mut keys = [0; SYMMETRIES];
        for (set, kind) in [(stones.own, OWN), (stones.other, OTHER)] {
            for number in set.points() {
                toggle(&mut keys, &self.keys[number as usize][kind]);
            }
        }
        Node {
            stones,
            ko: W::EMPTY,
            own_to_move,
            passed: false,
            keys,
        }
    }

    /// The key of the position with a past of those keys, and the symmetry through which it was taken; with `symmetry`
    /// the key is the same for all mirror images.
    #[must_use]
    pub fn key(&self, node: &Node<W>, past: &Keys, symmetry: bool) -> (u64, usize) {
        let mut keys = node.keys;
        if !node.ko.is_empty() {
            toggle(&mut keys, &self.keys[node.ko.lowest() as usize][KO]);
        }
        let turn = if node.own_to_move { OWN_TO_MOVE } else { 0 };
        let pass = if node.passed { PASSED } else { 0 };
        for (key, past) in keys.iter_mut().zip(past) {
            *key ^= past.rotate_left(1);
        }
        let seen = if symmetry { SYMMETRIES } else { 1 };
        let mut least = 0;
        for other in 1..seen {
            if keys[other] < keys[least] {
                least = other;
            }
        }
        (keys[least] ^ turn ^ pass, least)
    }

    /// A move's number as it is seen through a symmetry; passes are the same through all.
    #[must_use]
    pub fn seen(&self, symmetry: usize, number: u8) -> u8 {
        self.images[symmetry]
            .get(usize::from(number))
            .copied()
            .unwrap_or(number)
    }

    /// The move that is seen so through a symmetry.
    #[must_use]
    pub fn unseen(&self, symmetry: usize, number: u8) -> u8 {
        self.origins[symmetry]
            .get(usize::from(number))
            .copied()
            .unwrap_or(number)
    }

    /// A set of points seen through a symmetry, without the padding; nothing if it has no room.
    #[must_use]
    pub fn packed(&self, symmetry: usize, set: W) -> Option<u32> {
        let mut packed = 0;
        for number in set.points() {
            let place = self.place(self.images[symmetry][number as usize].into());
            if place >= TAKEN_POINTS {
                return None;
            }
            packed |= 1 << place;
        }
        Some(packed)
    }

    /// The set of points that was packed so.
    #[must_use]
    pub fn unpacked(&self, symmetry: usize, packed: u32) -> W {
        let mut set = W::EMPTY;
        for place in u64::from(packed).points() {
            let width = self.patch.width();
            let seen = self.patch.number(place % width, place / width);
            set |= W::point(self.origins[symmetry][seen as usize].into());
        }
        set
    }

    fn place(&self, number: u32) -> u32 {
        let (column, row) = self.patch.place_of(number);
        row * self.patch.width() + column
    }

    /// The position after a pass.
    #[must_use]
    pub fn after_pass(&self, node: &Node<W>) -> Node<W> {
        Node {
            ko: W::EMPTY,
            own_to_move: !node.own_to_move,
            passed: true,
            ..*node
        }
    }

    /// The position after a stone on the empty point, and what it took; nothing if it is not allowed.
    #[must_use]
    pub fn after_stone(&self, node: &Node<W>, number: u32) -> Option<(Node<W>, W)> {
        let point = W::point(number);
        if point == node.ko {
            return None;
        }
        let placed = self.patch.play(&node.stones, node.own_to_move, point)?;
        let kinds = if node.own_to_move {
            [OWN, OTHER]
        } else {
            [OTHER, OWN]
        };
        let mut keys = node.keys;
        toggle(&mut keys, &self.keys[number as usize][kinds[0]]);
        for captured in placed.captured.points() {
            toggle(&mut keys, &self.keys[captured as usize][kinds[1]]);
        }
        let next = Node {
            stones: placed.stones,
            ko: placed.ko,
            own_to_move: !node.own_to_move,
            passed: false,
            keys,
        };
        Some((next, placed.captured))
    }
}
