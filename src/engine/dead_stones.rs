//! Determines the dead stones at the end of a game. The mean ownership of each chain gives a first estimate, which two
//! corrections refine:
//!
//! - Uncertain chains in the same region live or die together, because a single living chain among dead stones of the
//!   same colour would need two eyes where there is no space for them. A *region* is bounded by the opponent's living
//!   stones and by points that certainly belong to the chains' colour.
//! - Proofs (`life_proof`) override the estimate: a chain that lives even if the opponent moves first is not dead.
//!   Evaluators often mistake stones in seki for dead ones.

use std::time::Instant;

use super::life_proof::LifeProver;
use super::ownership::Ownership;
use crate::game::board::Chain;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::tactics::life::is_captured_inside;
use crate::tactics::reading::{CaptureReader, ReadingLimits, ReadingSide};

/// Mean ownership, from the perspective of the chain's colour, below which another player may consider the chain dead.
/// Below the negative of this value, the chain is certainly dead.
const UNCERTAIN_CHAIN_OWNERSHIP: f32 = 0.7;
/// Minimum ownership of an empty point that is considered certain to belong to one side.
const CERTAIN_POINT_OWNERSHIP: f32 = 0.5;

/// Returns the stones of `position` that are dead according to `ownership`. Excludes chains that provably live, but does
/// not start a proof after `deadline`. Pass-alive chains are never included. Corrects `ownership` where a proof
/// contradicts it.
pub fn dead_stones(
    position: &Position,
    ownership: &mut Ownership,
    deadline: Option<Instant>,
) -> PointSet {
    let chains = chain_ownerships(position, ownership);
    let mut dead = stones_with_ownership_below(&chains, |_| 0.0);
    dead |= stones_in_dead_regions(position, ownership, &chains);
    let mut suspects: Vec<(bool, &ChainOwnership)> = (chains.iter())
        .map(|suspect| (suspect.chain.stones.is_subset(&dead), suspect))
        .filter(|(is_dead, suspect)| *is_dead || suspect.mean_ownership < UNCERTAIN_CHAIN_OWNERSHIP)
        .collect();
    // Dead chains come first. Within each class, chains with a higher mean ownership come first.
    suspects.sort_by(|(a_dead, a), (b_dead, b)| {
        (b_dead.cmp(a_dead)).then(b.mean_ownership.total_cmp(&a.mean_ownership))
    });
    let mut prover = LifeProver::new(position, deadline);
    let mut revived = PointSet::EMPTY;
    for (is_dead, ChainOwnership { chain, .. }) in suspects {
        if prover.lives(chain, &dead) {
            ownership.prove_life(position, chain);
            if is_dead {
                revived |= chain.stones;
            }
        }
    }
    dead -= revived;
    dead |= stones_lost_to_revived(&mut prover, position, &chains, &revived);
    dead | stones_without_two_eyes(position, &chains, &dead)
}

/// Returns the stones of surrounded chains that are captured in their only eye space even if their owner moves first.
/// `dead` contains the stones that are already known to be dead.
///
/// A chain is surrounded if all its other neighbours belong to opposing chains with the ownership of living ones.
fn stones_without_two_eyes(
    position: &Position,
    chains: &[ChainOwnership],
    dead: &PointSet,
) -> PointSet {
    let board = position.board();
    let uncertain = stones_with_ownership_below(chains, |_| UNCERTAIN_CHAIN_OWNERSHIP);
    let mut without_eyes = PointSet::EMPTY;
    for color in Color::BOTH {
        let safe = *board.stones(color.opposite()) - uncertain;
        let other_points = *board.all_points() - *board.stones(color);
        let own = chains.iter().filter(|own| own.chain.color == color);
        for ChainOwnership { chain, .. } in own {
            if chain.stones.intersects(dead) {
                continue;
            }
            let near = chain.stones.neighbours(&other_points) - safe;
            let mut eye_spaces = other_points
                .components()
                .filter(|space| space.intersects(&near));
            let (Some(space), None) = (eye_spaces.next(), eye_spaces.next()) else {
                continue;
            };
            let boundary = space.neighbours(board.stones(color));
            let attackers = space & *board.stones(color.opposite());
            if boundary.is_subset(&chain.stones) && is_captured_inside(&space, &attackers) {
                without_eyes |= chain.stones;
            }
        }
    }
    without_eyes
}

/// Returns the opposing stones near the stones in `revived` that are provably captured although the estimate considers
/// them alive. It assumed that they live by capturing the revived stones.
fn stones_lost_to_revived(
    prover: &mut LifeProver<'_>,
    position: &Position,
    chains: &[ChainOwnership],
    revived: &PointSet,
) -> PointSet {
    let board = position.board();
    let mut lost = PointSet::EMPTY;
    for ChainOwnership {
        chain,
        mean_ownership,
    } in chains
    {
        let opposing = *revived & *board.stones(chain.color.opposite());
        let near = opposing.grown(board.all_points());
        let is_near = chain.stones.intersects(&near) || chain.liberties.intersects(&near);
        let is_doubtful = (0.0..1.0).contains(mean_ownership) && is_near;
        if is_doubtful && prover.is_lost(chain) {
            lost |= chain.stones;
        }
    }
    lost
}

/// Returns the dead stones in the worst case for `color`: all stones of `color` that could be considered dead, but only
/// those stones of the opponent that are certainly dead.
pub(super) fn pessimistic_dead_stones(
    position: &Position,
    ownership: &mut Ownership,
    color: Color,
    deadline: Option<Instant>,
) -> PointSet {
    let dead = dead_stones(position, ownership, deadline);
    let chains = chain_ownerships(position, ownership);
    let threshold = |owner| {
        if owner == color {
            UNCERTAIN_CHAIN_OWNERSHIP
        } else {
            -UNCERTAIN_CHAIN_OWNERSHIP
        }
    };
    let possibly_dead = stones_with_ownership_below(&chains, threshold);
    let own = *position.board().stones(color);
    (own & (possibly_dead | dead)) | (possibly_dead & dead)
}

/// A chain and the mean ownership of its points, from -1 to 1, from the perspective of the chain's colour.
pub(super) struct ChainOwnership {
    pub(super) chain: Chain,
    pub(super) mean_ownership: f32,
}

impl ChainOwnership {
    fn ownership_sum(&self) -> f32 {
        self.mean_ownership * self.chain.stones.len() as f32
    }
}

/// Computes the mean ownership of every chain.
pub(super) fn chain_ownerships(position: &Position, ownership: &Ownership) -> Vec<ChainOwnership> {
    let size = position.size();
    let mean_ownership = |chain: &Chain| {
        let owners = chain
            .stones
            .iter()
            .map(|point| ownership.black(size.index(point)));
        chain.color.to_perspective(owners.sum::<f32>()) / chain.stones.len() as f32
    };
    let chains = position.board().chains();
    chains
        .map(|chain| ChainOwnership {
            chain: *chain,
            mean_ownership: mean_ownership(chain),
        })
        .collect()
}

/// Returns the stones of all chains with a mean ownership below the `threshold` for their colour.
fn stones_with_ownership_below(
    chains: &[ChainOwnership],
    threshold: impl Fn(Color) -> f32,
) -> PointSet {
    let mut stones = PointSet::EMPTY;
    for ChainOwnership {
        chain,
        mean_ownership,
    } in chains
    {
        if *mean_ownership < threshold(chain.color) {
            stones |= chain.stones;
        }
    }
    stones
}

/// Returns the stones of the uncertain chains in dead regions (see the [module documentation](self)). A region is dead
/// for a colour if the ownership of that colour's stones in the region has a negative sum.
fn stones_in_dead_regions(
    position: &Position,
    ownership: &Ownership,
    chains: &[ChainOwnership],
) -> PointSet {
    let (size, board) = (position.size(), position.board());
    let mut dead = PointSet::EMPTY;
    for color in Color::BOTH {
        let mut enclosed = *board.all_points();
        for ChainOwnership {
            chain,
            mean_ownership,
        } in chains
        {
            let threshold = if chain.color == color {
                UNCERTAIN_CHAIN_OWNERSHIP
            } else {
                0.0
            };
            if *mean_ownership >= threshold {
                enclosed -= chain.stones;
            }
        }
        for point in board.empty_points() {
            if color.to_perspective(ownership.black(size.index(point))) >= CERTAIN_POINT_OWNERSHIP {
                enclosed.remove(point);
            }
        }
        let is_own = |chain_ownership: &&ChainOwnership| chain_ownership.chain.color == color;
        for region in enclosed.components() {
            let enclosed_chains = chains.iter().filter(is_own);
            let enclosed_chains = enclosed_chains
                .filter(|chain_ownership| chain_ownership.chain.stones.is_subset(&region));
            if enclosed_chains
                .map(ChainOwnership::ownership_sum)
                .sum::<f32>()
                < 0.0
            {
                dead |= region & *board.stones(color);
            }
        }
    }
    dead
}

/// Returns legal moves that may capture the opponent's stones in `dead`: the capturing moves found by reading or, if
/// reading finds none in time, all liberties of these stones.
pub(super) fn capturing_moves(
    position: &Position,
    dead: &PointSet,
    deadline: Option<Instant>,
) -> Vec<Move> {
    let (board, color) = (position.board(), position.to_move());
    let mut reader = CaptureReader::default();
    let (mut captures, mut liberties) = (PointSet::EMPTY, PointSet::EMPTY);
    for chain in board.chains() {
        let target = chain.stones.first();
        let Some(target) = target.filter(|&target| chain.color != color && dead.contains(target))
        else {
            continue;
        };
        liberties |= chain.liberties;
        let limits = ReadingLimits {
            // The other half of the time is reserved for the search that compares these moves.
            time: deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()) / 2),
            ..ReadingLimits::default()
        };
        let reading = reader.read(
            board,
            target,
            ReadingSide::Maker,
            position.ko_for(color),
            limits,
        );
        if let Ok(reading) = reading
            && let Some(Move::Play(point)) = reading.best_move
        {
            captures.insert(point);
        }
    }
    let moves = if captures.is_empty() {
        liberties
    } else {
        captures
    };
    let legal = position.legal_points();
    (moves & legal).iter().map(Move::Play).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;
    use crate::game::rules::Rules;

    /// Returns the dead stones of a diagram. `owners` lists vertices with Black's ownership of the chain or empty point
    /// there. All other stones are certainly alive.
    fn dead(text: &str, owners: &[(&str, f32)]) -> Vec<String> {
        let board = diagram::parse_board(text).unwrap();
        let size = board.size();
        let mut black = vec![0.0; size.area()];
        for chain in board.chains() {
            for point in chain.stones {
                black[size.index(point)] = chain.color.to_perspective(1.0);
            }
        }
        for (vertex, owner) in owners {
            let point = size.parse_vertex(vertex).unwrap();
            let chain = board.chain_at(point);
            for point in chain.map_or(PointSet::single(point), |chain| chain.stones) {
                black[size.index(point)] = *owner;
            }
        }
        let position = Position::from_board(board, Color::Black, Rules::default());
        let dead = dead_stones(&position, &mut Ownership::from_black(black), None);
        dead.iter().map(|point| size.vertex(point)).collect()
    }

    #[test]
    fn seki_stones_are_never_dead() {
        let seki = "
            . O . O X . O X . X .
            O O O O X . O X X X X";
        assert!(dead(seki, &[("E1", -0.9)]).is_empty());
        assert!(dead(seki, &[("G1", 0.3)]).is_empty());
    }

    #[test]
    fn capturable_stones_owned_by_opponent_are_dead() {
        // The same black stones, but the opposing chain lives.
        let captured = "
            . O . O X . O O . O .
            O O O O X . O O O O O";
        assert_eq!(dead(captured, &[("E1", -0.1)]), ["E2", "E1"]);
        assert!(dead(captured, &[("E1", 0.1)]).is_empty());
    }

    #[test]
    fn surrounded_chains_with_a_killed_eye_space_are_dead() {
        // White has the vital point of five points. The black chain outside has the corner for itself.
        let killed = "
            X X X X O . . O X .
            X . . X O . . O X .
            . O . X O . . O X .
            X X X X O . . O X .
            O O O O O . . O X .
            . . . . . O O O X .";
        let corner = [("A6", 0.2), ("B4", 0.0)];
        assert_eq!(dead(killed, &corner).len(), 11);
        // A liberty outside may lead to help; nothing is known then.
        let open = killed.replace("O O O O O . .", "O . O O O . .");
        assert!(dead(&open, &corner).is_empty());
        // White's stone is not on the vital point, which Black can take.
        let unsettled = killed
            .replace("X . . X", "X . O X")
            .replace(". O . X O", ". . . X O");
        assert!(dead(&unsettled, &[("A6", 0.2), ("C5", 0.0)]).is_empty());
        // A white chain around it may be dead itself.
        let mut doubtful = corner.to_vec();
        doubtful.push(("E6", 0.0));
        assert!(dead(killed, &doubtful).is_empty());
    }

    #[test]
    fn uncertain_chains_share_their_regions_status() {
        // Two white chains inside a black boundary.
        let region = "
            . X . . . . X .
            X X . O O . X X
            . X . . . . X .
            X X . . O . X X
            . X X X X X X .";
        let upper = |owner| ("D4", owner);
        assert_eq!(dead(region, &[upper(0.9), ("E2", -0.6)]).len(), 3);
        // The lower chain is certainly alive, so it does not share the status of the upper chain.
        assert_eq!(dead(region, &[upper(0.9), ("E2", -0.8)]), ["D4", "E4"]);
        // The larger upper chain outweighs the dead lower chain.
        assert_eq!(dead(region, &[upper(-0.6), ("E2", 0.9)]), ["E2"]);
    }
}
