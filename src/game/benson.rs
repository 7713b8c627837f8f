//! Pass-alive chains: those that no play can capture even if their owner always passes.
//!
//! The algorithm is Benson's ("Life in the game of Go", 1976): a chain is alive when it has two vital regions, where a
//! region is a connected set of points without a stone of the chain's colour, and it is vital to a chain when all its
//! empty points are liberties of that chain; regions that touch a chain found not alive cease to count.

use super::board::{Board, Chain};
use super::color::Color;
use super::pointset::PointSet;

/// What Benson's algorithm proves for one colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassAlive {
    /// The stones of the pass-alive chains.
    pub stones: PointSet,
    /// Their vital regions: points that are theirs, dead opposing stones included.
    pub territory: PointSet,
}

impl PassAlive {
    /// Stones and territory together.
    #[must_use]
    pub fn area(&self) -> PointSet {
        self.stones | self.territory
    }
}

struct Region {
    points: PointSet,
    /// What must neighbour a chain for the region to be vital to it.
    vital_points: PointSet,
    /// The chains' stones around it.
    border: PointSet,
}

/// The pass-alive chains of `color`. Where `suicide` is legal the opponent can empty points by it, so every point of a
/// vital region, not only the empty ones, must neighbour the chain.
#[must_use]
pub fn pass_alive(board: &Board, color: Color, suicide: bool) -> PassAlive {
    let area = board.area();
    let empty = board.empty();
    let own = *board.stones(color);
    let mut regions: Vec<Region> = (*area - own)
        .components()
        .map(|points| Region {
            points,
            vital_points: if suicide { points } else { points & empty },
            border: points.neighbours(area) & own,
        })
        .collect();
    let mut chains: Vec<(Chain, PointSet)> = board
        .chains()
        .filter(|chain| chain.color == color)
        .map(|chain| (*chain, chain.stones.neighbours(area)))
        .collect();
    let is_vital =
        |region: &Region, neighbours: &PointSet| region.vital_points.is_subset(neighbours);
    loop {
        let (remaining, eliminated): (Vec<_>, Vec<_>) =
            chains.into_iter().partition(|(_, neighbours)| {
                regions
                    .iter()
                    .filter(|region| is_vital(region, neighbours))
                    .count()
                    >= 2
            });
        chains = remaining;
        if eliminated.is_empty() {
            break;
        }
        regions.retain(|region| {
            !eliminated
                .iter()
                .any(|(chain, _)| region.border.intersects(&chain.stones))
        });
    }
    let mut result = PassAlive::default();
    for (chain, neighbours) in &chains {
        result.stones |= chain.stones;
        for region in regions.iter().filter(|region| is_vital(region, neighbours)) {
            result.territory |= region.points;
        }
    }
    result
}
