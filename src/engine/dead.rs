//! Which stones come off at the end: what the owners of the points say of each chain, put right by what is known of all
//! boards.
//!
//! - Chains in doubt that share a *room* live or die together: one that lives by itself, among dead stones of its own,
//!   would have to make two eyes where they could not. A room is what the living stones of the other side and the sure
//!   points of its own enclose.
//! - A chain that cannot be captured, however many moves its opponent may try, is not dead. Evaluators take many a seki
//!   for dead stones. That it can be captured proves nothing: it may cost the other side its eyes.

use std::time::Instant;

use super::ownership::Ownership;
use crate::game::board::{Board, Chain};
use crate::game::color::Color;
use crate::game::point::{Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::tactics::reading::{Limits, Outcome, Reader};

/// A chain that owns its points by less than this, on the mean, may be judged otherwise by somebody else.
const DOUBT: f32 = 0.7;
/// An empty point is sure to be its side's if it owns it by that much.
const SURE_POINT: f32 = 0.5;
/// A chain called dead with at most so many liberties is read: what has more can hardly be a seki, and takes long.
const MOST_LIBERTIES: usize = 3;
/// It is read whether it can be captured within so many plies. That is more than it takes to play all the approach moves
/// that stones with so few liberties need, and so stands for any number.
const PLIES: usize = 21;
/// Positions looked at for each such chain ...
const NODES: u64 = 10_000;
/// ... and for all of them.
const NODES_OF_ALL: u64 = 60_000;

/// The stones that come off if the points have these owners; no pass-alive chain is among them. No chain is read after
/// `due`.
#[must_use]
pub fn dead_stones(position: &Position, ownership: &Ownership, due: Option<Instant>) -> PointSet {
    let judged = judge(position, ownership);
    let mut dead = disowned(&judged, |_| 0.0);
    dead |= in_dead_rooms(position, ownership, &judged);
    dead - uncapturable(position.board(), &judged, &dead, due)
}

/// The stones that somebody who wishes `color` ill could call dead, and of its opponent's only those that nobody could
/// call alive.
pub(super) fn dead_at_worst(
    position: &Position,
    ownership: &Ownership,
    color: Color,
    due: Option<Instant>,
) -> PointSet {
    let judged = judge(position, ownership);
    let bar = |owner| if owner == color { DOUBT } else { -DOUBT };
    let feared = disowned(&judged, bar);
    let dead = dead_stones(position, ownership, due);
    let own = *position.board().stones(color);
    (own & (feared | dead)) | (feared & dead)
}

/// A chain and how much of its points it owns on the mean, from -1 to 1.
pub(super) struct Judged {
    pub(super) chain: Chain,
    pub(super) owns: f32,
}

impl Judged {
    fn sum(&self) -> f32 {
        self.owns * self.chain.stones.len() as f32
    }
}

/// All chains, judged by the owners of their points.
pub(super) fn judge(position: &Position, ownership: &Ownership) -> Vec<Judged> {
    let size = position.size();
    let owns = |chain: &Chain| {
        let owners = chain
            .stones
            .iter()
            .map(|point| ownership.black(size.index(point)));
        chain.color.from_black(owners.sum::<f32>()) / chain.stones.len() as f32
    };
    let chains = position.board().chains();
    chains
        .map(|chain| Judged {
            chain: *chain,
            owns: owns(chain),
        })
        .collect()
}

/// The chains that own less of their points than what `bar` says for their colour.
fn disowned(judged: &[Judged], bar: impl Fn(Color) -> f32) -> PointSet {
    let mut stones = PointSet::EMPTY;
    for Judged { chain, owns } in judged {
        if *owns < bar(chain.color) {
            stones |= chain.stones;
        }
    }
    stones
}

/// The chains in doubt whose rooms hold more of dead stones than of living ones.
fn in_dead_rooms(position: &Position, ownership: &Ownership, judged: &[Judged]) -> PointSet {
    let (size, board) = (position.size(), position.board());
    let mut dead = PointSet::EMPTY;
    for color in Color::BOTH {
        let mut enclosed = *board.area();
        for Judged { chain, owns } in judged {
            let stands = if chain.color == color { DOUBT } else { 0.0 };
            if *owns >= stands {
                enclosed -= chain.stones;
            }
        }
        for point in board.empty() {
            if color.from_black(ownership.black(size.index(point))) >= SURE_POINT {
                enclosed.remove(point);
            }
        }
        let own = |judged: &&Judged| judged.chain.color == color;
        for room in enclosed.components() {
            let inmates = judged.iter().filter(own);
            let inmates = inmates.filter(|judged| judged.chain.stones.is_subset(&room));
            if inmates.map(Judged::sum).sum::<f32>() < 0.0 {
                dead |= room & *board.stones(color);
            }
        }
    }
    dead
}

/// Of the stones called dead those that nobody can capture; the least sure chains are read first.
fn uncapturable(
    board: &Board,
    judged: &[Judged],
    dead: &PointSet,
    due: Option<Instant>,
) -> PointSet {
    let suspect = |judged: &&Judged| {
        let chain = &judged.chain;
        chain.stones.is_subset(dead) && chain.liberties.len() <= MOST_LIBERTIES
    };
    let mut suspects: Vec<&Judged> = judged.iter().filter(suspect).collect();
    suspects.sort_by(|one, other| other.owns.total_cmp(&one.owns));
    let mut safe = PointSet::EMPTY;
    if suspects.is_empty() {
        return safe;
    }
    let mut left = NODES_OF_ALL;
    let mut reader = Reader::new();
    for suspect in suspects {
        let Some(target) = suspect.chain.stones.first() else {
            continue;
        };
        let limits = Limits {
            plies: PLIES,
            nodes: left.min(NODES),
            time: due.map(|due| due.saturating_duration_since(Instant::now())),
        };
        let (nodes, is_safe) = read(&mut reader, board, target, limits);
        left = left.saturating_sub(nodes);
        if is_safe {
            safe |= suspect.chain.stones;
        }
    }
    safe
}

/// How many positions it took to read whether the chain there can be captured, and whether it is proved that it cannot.
fn read(reader: &mut Reader, board: &Board, target: Point, limits: Limits) -> (u64, bool) {
    let reading = reader.attack(board, target, None, limits);
    reading.map_or((0, false), |reading| {
        let is_safe = matches!(reading.outcome, Outcome::Prevented { .. });
        (reading.nodes, is_safe)
    })
}

/// The moves that start to capture opposing stones among the dead, read out where that is possible and there is time
/// for it.
pub(super) fn capturing_moves(
    position: &Position,
    dead: &PointSet,
    due: Option<Instant>,
) -> Vec<Move> {
    let (board, color) = (position.board(), position.to_move());
    let mut reader = Reader::new();
    let (mut read, mut near) = (PointSet::EMPTY, PointSet::EMPTY);
    for chain in board.chains() {
        let target = chain.stones.first();
        let Some(target) = target.filter(|&target| chain.color != color && dead.contains(target))
        else {
            continue;
        };
        near |= chain.liberties;
        let limits = Limits {
            // What it takes to go on with what was read is the other half.
            time: due.map(|due| due.saturating_duration_since(Instant::now()) / 2),
            ..Limits::default()
        };
        let reading = reader.attack(board, target, position.ko_for(color), limits);
        if let Ok(reading) = reading
            && let Some(Move::Play(point)) = reading.best
        {
            read.insert(point);
        }
    }
    let moves = if read.is_empty() { near } else { read };
    let legal = position.legal_points();
    (moves & legal).iter().map(Move::Play).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;
    use crate::game::rules::Rules;

    /// The stones called dead, where `owners` gives Black's share of these vertices and of the chains that stand there;
    /// all other stones are certain to live.
    fn dead(picture: &str, owners: &[(&str, f32)]) -> Vec<String> {
        let board = diagram::parse(picture).unwrap();
        let size = board.size();
        let mut black = vec![0.0; size.area()];
        for chain in board.chains() {
            for point in chain.stones {
                black[size.index(point)] = chain.color.from_black(1.0);
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
        let dead = dead_stones(&position, &Ownership::of(black), None);
        dead.iter().map(|point| size.vertex(point)).collect()
    }

    #[test]
    fn stones_in_a_seki_are_not_dead_whoever_owns_them() {
        let seki = "
            . O . O X . O X . X .
            O O O O X . O X X X X";
        assert!(dead(seki, &[("E1", -0.9)]).is_empty());
        assert!(dead(seki, &[("G1", 0.3)]).is_empty());
    }

    #[test]
    fn stones_that_can_be_captured_are_dead_if_they_are_owned() {
        // The same stones of Black, but the chain across lives.
        let lost = "
            . O . O X . O O . O .
            O O O O X . O O O O O";
        assert_eq!(dead(lost, &[("E1", -0.1)]), ["E2", "E1"]);
        assert!(dead(lost, &[("E1", 0.1)]).is_empty());
    }

    #[test]
    fn chains_in_doubt_share_the_fate_of_their_room() {
        // Two chains of White within Black's walls.
        let room = "
            . X . . . . X .
            X X . O O . X X
            . X . . . . X .
            X X . . O . X X
            . X X X X X X .";
        let upper = |owner| ("D4", owner);
        assert_eq!(dead(room, &[upper(0.9), ("E2", -0.6)]).len(), 3);
        // One that is sure to live, and one that outweighs the dead stone.
        assert_eq!(dead(room, &[upper(0.9), ("E2", -0.8)]), ["D4", "E4"]);
        assert_eq!(dead(room, &[upper(-0.6), ("E2", 0.9)]), ["E2"]);
    }
}
