//! Exact values of small boards: alpha-beta over all moves, both sides' bounds proved one by one.
//!
//! Area scoring, suicide forbidden, and any superko rule: what is proved holds under all of them ([`past`] says how).
//! A bound that favours Black is proved with Black as the *prover*: lines cut off by the depth limit count against it,
//! so a bound once found is a proof whatever the depth. The limit grows by one move at a time; when Black's bound from
//! below and White's from above meet, that is the value.

pub mod busy;
pub mod entry;
pub mod features;
pub mod memory;
pub mod node;
pub mod order;
pub mod past;
pub mod search;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use busy::Busy;
use entry::Known;
use features::Features;
use memory::{Asked, Memory};
use node::{Ground, NO_PAST, Node};
use search::{Searcher, Shared};

use super::patch::word::Word;
use super::patch::{Patch, Stones};
use super::table::{Table, TableError};
use crate::game::board::Board;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};

/// Longer lines of play are cut, which is marked: what hangs on such a line is not known. No proof so far was near it.
const DEEPEST: u32 = 200;

/// Why a board cannot be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// There are more points than a word has bits.
    #[error(
        "expected a board of at most {} bits, (columns + 1) x rows - 1 or the same turned, found one of {width}x{height}",
        u64::BITS
    )]
    TooLarge {
        /// Its columns.
        width: usize,
        /// Its rows.
        height: usize,
    },
    /// There is no table.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// What a solver may use.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    /// Threads, at least one.
    pub threads: usize,
    /// The table's size.
    pub table_mib: usize,
    /// Positions that may be visited in all; each thread beyond the first may add a few thousand.
    pub nodes: u64,
    /// How long it may take in all, from when the solver is made; a few thousand positions more are visited.
    pub time: Option<Duration>,
    /// Deepest search.
    pub depth: u32,
    /// Parts of the search in use.
    pub features: Features,
}

impl Default for Means {
    fn default() -> Self {
        Self {
            threads: 1,
            table_mib: 64,
            nodes: u64::MAX,
            time: None,
            depth: DEEPEST,
            features: Features::default(),
        }
    }
}

/// Bounds of a score, from Black's side, without komi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Black gets at least that.
    pub least: i32,
    /// Black gets at most that.
    pub most: i32,
}

/// A step of the work, for those who watch.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// For whom something is to be proved.
    pub prover: Color,
    /// The moves of the lines now searched.
    pub depth: u32,
    /// What is known now.
    pub bounds: Bounds,
    /// Positions visited so far.
    pub nodes: u64,
}

/// A board to be solved.
pub struct Solver {
    size: BoardSize,
    shared: Shared<u64>,
    means: Means,
}

impl Solver {
    /// For boards of that size.
    ///
    /// # Errors
    /// When the board is too large or there is no table.
    pub fn new(size: BoardSize, means: Means) -> Result<Self, SolveError> {
        let (width, height) = (size.width(), size.height());
        let patch = Patch::new(width as u32, height as u32)
            .ok_or(SolveError::TooLarge { width, height })?;
        Ok(Self {
            size,
            shared: Shared {
                ground: Ground::new(patch),
                memory: Memory {
                    table: Table::new(means.table_mib)?,
                    features: means.features,
                },
                busy: Busy::default(),
                budget: means.nodes,
                until: means.time.and_then(|time| Instant::now().checked_add(time)),
                nodes: AtomicU64::new(0),
                stop: AtomicBool::new(false),
            },
            means,
        })
    }

    /// Positions visited so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.shared.nodes.load(Relaxed)
    }

    /// The value of the position, whose stones are on a board of this size, with nothing having happened before; the
    /// bounds do not meet if depth, nodes or time ran out.
    pub fn solve_position(
        &self,
        board: &Board,
        to_move: Color,
        watch: &mut dyn FnMut(Progress),
    ) -> Bounds {
        let patch = self.shared.ground.patch();
        let set = |color: Color| {
            let numbers = board.stones(color).iter();
            numbers.fold(u64::EMPTY, |set, point| {
                set | u64::point(patch.number(point.column() as u32, point.row() as u32))
            })
        };
        let stones = Stones {
            own: set(Color::Black),
            other: set(Color::White),
        };
        self.narrow(stones, to_move, self.widest(), watch)
    }

    /// The value of the empty board with Black to move; the bounds do not meet if depth, nodes or time ran out.
    pub fn solve(&self, watch: &mut dyn FnMut(Progress)) -> Bounds {
        self.narrow(Stones::default(), Color::Black, self.widest(), watch)
    }

    /// A first move that was shown to give Black its value, once it was.
    #[must_use]
    pub fn first_move(&self) -> Option<Move> {
        let ground = &self.shared.ground;
        let root = ground.node(Stones::default(), true);
        let symmetry = self.means.features.symmetry;
        let (key, seen_through) = ground.key(&root, &NO_PAST, symmetry);
        let best = self.shared.memory.table.get(key)?.best;
        match ground.unseen(seen_through, best) {
            Known::NO_MOVE => None,
            Known::PASS => Some(Move::Pass),
            number => Some(self.move_at(number.into())),
        }
    }

    /// The stones that Black was shown to be able to begin with and get at least `value`, and whether every other was
    /// shown to give less.
    pub fn first_moves(&self, value: i32, watch: &mut dyn FnMut(Progress)) -> (Vec<Move>, bool) {
        let question = Bounds {
            least: value - 1,
            most: value,
        };
        let ground = &self.shared.ground;
        let root = ground.node(Stones::default(), true);
        let mut answers: Vec<(u64, bool)> = Vec::new();
        let (mut moves, mut all) = (Vec::new(), true);
        for number in ground.patch().area().points() {
            let Some((after, _)) = ground.after_stone(&root, number) else {
                continue;
            };
            // Mirror images have the same answer.
            let (key, _) = ground.key(&after, &NO_PAST, true);
            let known = answers.iter().find(|answer| answer.0 == key);
            let gives = known.map(|answer| answer.1).unwrap_or_else(|| {
                let found = self.narrow(after.stones, Color::White, question, watch);
                all &= found.least >= value || found.most < value;
                found.least >= value
            });
            if known.is_none() {
                answers.push((key, gives));
            }
            if gives {
                moves.push(self.move_at(number));
            }
        }
        (moves, all)
    }

    fn move_at(&self, number: u32) -> Move {
        let (column, row) = self.shared.ground.patch().place_of(number);
        Move::Play(Point::at(column as usize, row as usize))
    }

    fn widest(&self) -> Bounds {
        let area = self.size.area() as i32;
        Bounds {
            least: -area,
            most: area,
        }
    }

    /// Brings bounds of Black's score nearer to each other until they meet, with `stones.own` Black's. The prover that
    /// has cost less so far goes on: where only one bound is hard, the other is not worth as much again.
    fn narrow(
        &self,
        stones: Stones<u64>,
        to_move: Color,
        within: Bounds,
        watch: &mut dyn FnMut(Progress),
    ) -> Bounds {
        self.shared.memory.table.grow_older();
        let ground = &self.shared.ground;
        let roots = [
            ground.node(stones, to_move == Color::Black),
            ground.node(stones.swapped(), to_move == Color::White),
        ];
        let mut team = Team::new(&self.shared, self.means.threads);
        let (mut bounds, mut spent, mut depths) = (within, [0; 2], [0; 2]);
        while bounds.least < bounds.most && self.nodes() < self.means.nodes {
            let open = |side: &usize| depths[*side] < self.means.depth;
            let Some(side) = (0..2).filter(open).min_by_key(|&side| spent[side]) else {
                break;
            };
            depths[side] += 1;
            let black = side == 0;
            let before = self.nodes();
            let asked = Asked {
                depth: depths[side],
                alpha: if black { bounds.least } else { -bounds.most },
                beta: if black { bounds.most } else { -bounds.least },
            };
            let Some(shown) = team.run(&roots[side], asked) else {
                break;
            };
            spent[side] += self.nodes() - before;
            if !team.was_cut() {
                // Every line has been searched to its end.
                depths[side] = self.means.depth;
            }
            if black {
                bounds.least = bounds.least.max(shown);
            } else {
                bounds.most = bounds.most.min(-shown);
            }
            watch(Progress {
                prover: if black { Color::Black } else { Color::White },
                depth: asked.depth,
                bounds,
                nodes: self.nodes(),
            });
        }
        bounds
    }
}

/// Threads that search the same position, each helping the others through the table.
struct Team<'a, W> {
    shared: &'a Shared<W>,
    searchers: Vec<Searcher<'a, W>>,
}

impl<'a, W: Word> Team<'a, W> {
    fn new(shared: &'a Shared<W>, threads: usize) -> Self {
        let searchers = (0..threads.max(1)).map(|_| Searcher::new(shared)).collect();
        Self { shared, searchers }
    }

    /// Whether any line was left undecided for want of depth.
    fn was_cut(&self) -> bool {
        self.searchers.iter().any(Searcher::was_cut)
    }

    /// What the first to finish has found; nothing if the budget ran out.
    fn run(&mut self, root: &Node<W>, asked: Asked) -> Option<i32> {
        let shared = self.shared;
        shared.stop.store(false, Relaxed);
        let one = |searcher: &mut Searcher<'a, W>| {
            let found = searcher.run(root, asked);
            shared.stop.store(true, Relaxed);
            found
        };
        if let [only] = self.searchers.as_mut_slice() {
            return one(only);
        }
        std::thread::scope(|scope| {
            let running: Vec<_> = self
                .searchers
                .iter_mut()
                .map(|searcher| scope.spawn(|| one(searcher)))
                .collect();
            let found = running.into_iter().filter_map(|thread| {
                let end = thread.join();
                end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            found.reduce(i32::max)
        })
    }
}
