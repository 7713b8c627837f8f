//! Pass-alive chains: chains that cannot be captured even if their owner always passes.
//!
//! Implements Benson's algorithm ("Life in the game of Go", 1976). A *region* is a connected set of points without
//! stones of the chain's colour. A region is *vital* to a chain if all empty points of the region are liberties of the
//! chain. Chains with fewer than two vital regions are eliminated, together with all regions adjacent to them. This is
//! repeated until every remaining chain has two vital regions; these chains are pass-alive.

use super::board::{Board, Chain};
use super::color::Color;
use super::pointset::PointSet;

/// Pass-alive stones and territory of a colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PassAlive {
    /// Stones of the pass-alive chains.
    pub stones: PointSet,
    /// Points of the vital regions of these chains, including points with dead stones of the opponent.
    pub territory: PointSet,
}

impl PassAlive {
    /// Returns the union of stones and territory.
    pub fn area(&self) -> PointSet {
        self.stones | self.territory
    }
}

struct Region {
    points: PointSet,
    /// Points that must all be adjacent to a chain for the region to be vital to it.
    vital_points: PointSet,
    /// Stones of the chains' colour that are adjacent to the region.
    border: PointSet,
}

/// Computes the pass-alive stones and territory of `color`.
///
/// If `suicide` is true, multi-stone suicide is legal. The opponent can then empty points by suicide, so every point of
/// a vital region (not only the empty ones) must be adjacent to the chain.
pub fn pass_alive(board: &Board, color: Color, suicide: bool) -> PassAlive {
    let area = board.all_points();
    let empty = board.empty_points();
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
