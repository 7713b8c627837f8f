//! Benchmarks: fixed positions, search speed, and a signature that detects changes in the behaviour of the search.

pub mod architectures;
pub mod evaluation_speed;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use std::hash::{Hash, Hasher};

use crate::eval::hashed::HashEvaluator;
use crate::eval::{EvalError, Evaluation, Evaluator, Request};
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::rules::Rules;
use crate::random::stable_hash::StableHasher;
use crate::search::limits::SearchLimits;
use crate::search::params::SearchParams;
use crate::search::restriction::Restriction;
use crate::search::tree::Tree;
use crate::search::{Search, SearchConfig, SearchError};

/// Default number of visits per position when computing a signature.
pub const DEFAULT_SIGNATURE_VISITS: u64 = 2_000;
/// Maximum tree size in bytes, sufficient for every benchmark.
const MAX_TREE_BYTES: usize = 1 << 30;

/// Benchmark positions, one per line: name, board size, rules, and the moves that lead to the position, starting with
/// Black.
const POSITIONS: &str = include_str!("positions.txt");

/// Named position to be searched.
#[derive(Clone, Debug)]
pub struct BenchPosition {
    pub name: &'static str,
    pub position: Position,
}

/// Statistics of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchMeasurement {
    /// Root visits.
    pub visits: u64,
    /// Number of evaluated positions.
    pub evaluations: u64,
    /// Number of playouts cancelled because they reached a leaf that was being evaluated.
    pub collisions: u64,
    /// Number of nodes in the tree.
    pub nodes: usize,
    /// Hash of the visit counts, evaluation sums and visited moves of all nodes in the tree. A search with one thread
    /// and [`HashEvaluator`] has the same signature on every platform.
    pub signature: u64,
    pub time: Duration,
}

/// Returns the benchmark positions.
pub fn bench_positions() -> Vec<BenchPosition> {
    let parse = |line: &'static str| {
        let mut fields = line.split_ascii_whitespace();
        let name = fields.next()?;
        let size: BoardSize = fields.next()?.parse().ok()?;
        let mut position = Position::new(size, Rules::parse(fields.next()?)?);
        for field in fields {
            let mv = size.parse_move(field)?;
            position.play(position.to_move(), mv).ok()?;
        }
        Some(BenchPosition { name, position })
    };
    let parsed = POSITIONS.lines().map(parse);
    // The text is compiled into the program and covered by a test.
    parsed
        .collect::<Option<_>>()
        .expect("the built-in positions are valid")
}

/// Searches a position, starting with an empty tree, until the root has `visits` visits. Each of `threads` threads
/// evaluates up to `batch_size` leaves together.
///
/// # Errors
/// Returns an error if an evaluation fails or the search threads cannot be started.
pub fn measure_search(
    position: &Position,
    evaluator: Arc<dyn Evaluator>,
    threads: usize,
    batch_size: usize,
    visits: u64,
) -> Result<SearchMeasurement, SearchError> {
    let counting = Arc::new(CountingEvaluator {
        inner: evaluator,
        evaluations: AtomicU64::new(0),
    });
    let evaluator = Arc::<CountingEvaluator>::clone(&counting);
    let setup = SearchConfig {
        threads,
        batch_size,
        tree_bytes: MAX_TREE_BYTES,
        seed: 0,
    };
    let params = SearchParams::default();
    let mut search = Search::new(evaluator, position.clone(), params, setup)?;
    let started = Instant::now();
    let report = search.run(SearchLimits::with_visits(visits), Restriction::none())?;
    Ok(SearchMeasurement {
        time: started.elapsed(),
        visits: report.visits.into(),
        evaluations: counting.evaluations.load(Ordering::Relaxed),
        collisions: report.collisions,
        nodes: search.tree().node_count(),
        signature: tree_signature(search.tree()),
    })
}

/// Searches a position with one thread and [`HashEvaluator`], so that [`SearchMeasurement::signature`] is reproducible.
///
/// # Errors
/// Returns an error if the search thread cannot be started.
pub fn measure_hashed_search(
    position: &Position,
    visits: u64,
) -> Result<SearchMeasurement, SearchError> {
    measure_search(position, Arc::new(HashEvaluator), 1, 1, visits)
}

/// Combines the signatures of several searches into one signature, which depends on the order of the searches.
pub fn combine_signatures(signatures: impl IntoIterator<Item = u64>) -> u64 {
    let mut hasher = StableHasher::default();
    for signature in signatures {
        hasher.write_u64(signature);
    }
    hasher.finish()
}

fn tree_signature(tree: &Tree) -> u64 {
    let mut hasher = StableHasher::default();
    // A single thread numbers the nodes in the order of their creation.
    for id in 0..tree.node_count() as u32 {
        let node = tree.node(id);
        node.visits().hash(&mut hasher);
        node.fixed_point_sums().hash(&mut hasher);
        for edge in tree.edges(node) {
            // Unvisited moves are not hashed, because they depend only on the evaluator.
            if let Some(child) = edge.child() {
                (edge.mv(), child).hash(&mut hasher);
            }
        }
    }
    hasher.finish()
}

/// Evaluator that counts the positions evaluated by `inner`.
struct CountingEvaluator {
    inner: Arc<dyn Evaluator>,
    evaluations: AtomicU64,
}

impl Evaluator for CountingEvaluator {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let count = requests.len() as u64;
        self.evaluations.fetch_add(count, Ordering::Relaxed);
        self.inner.evaluate(requests, evaluations)
    }

    fn inner(&self) -> Option<&dyn Evaluator> {
        Some(&self.inner)
    }
}
