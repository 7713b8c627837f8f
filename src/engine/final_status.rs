//! Counts a game: final status of every point, dead stones, and the most pessimistic count after a pass.

use std::time::Instant;

use super::dead_stones::{dead_stones, pessimistic_dead_stones};
use super::decision::{are_few_unsettled, is_settled};
use super::open_borders;
use super::ownership::Ownership;
use crate::eval::{EvalError, Evaluator};
use crate::game::color::{ByColor, Color};
use crate::game::point::{Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::score::{CountResult, Score, count, count_completed, stones_in_seki};

/// Returns the stones to remove if the game is counted now: the [`dead_stones`] according to [`Ownership::estimate`]
/// with `seed`. Returns no stones if play has ended under rules that count every remaining stone as alive.
///
/// # Errors
/// Returns the evaluator's error if an evaluation fails.
pub fn final_dead_stones(
    base: &dyn Evaluator,
    position: &Position,
    seed: u64,
) -> Result<PointSet, EvalError> {
    if ended_without_removing_dead(position) {
        return Ok(PointSet::EMPTY);
    }
    let mut ownership = Ownership::estimate(base, position, seed)?;
    Ok(dead_stones(position, &mut ownership, None))
}

/// Returns the count of the game if the side to move passes and the game ends, in the worst case for that side: chains
/// of uncertain status are counted against that side. Does not start a capture search after `deadline`.
///
/// # Errors
/// Returns the evaluator's error if an evaluation fails.
pub(super) fn pessimistic_count_after_pass(
    base: &dyn Evaluator,
    position: &Position,
    deadline: Option<Instant>,
) -> Result<CountResult, EvalError> {
    let mut after_pass = position.clone();
    after_pass.play_unchecked(position.to_move(), Move::Pass);
    if ended_without_removing_dead(&after_pass) {
        return Ok(count(&after_pass, &PointSet::EMPTY));
    }
    let mut ownership = Ownership::estimate_with_common_seed(base, &after_pass)?;
    let dead = pessimistic_dead_stones(&after_pass, &mut ownership, position.to_move(), deadline);
    Ok(count(&after_pass, &dead))
}

/// Returns true if play has ended under rules that count every stone on the board as alive.
fn ended_without_removing_dead(position: &Position) -> bool {
    position.ended() && !position.rules().removes_dead_stones()
}

/// A game counted by the engine.
#[derive(Clone, Copy, Debug)]
pub struct FinalCount {
    pub status: FinalStatus,
    pub count: CountResult,
    /// Score that is expected at the end of the game. It equals the score of `count` if play has ended or nearly all
    /// points are settled.
    pub expected_score: Score,
}

impl FinalCount {
    /// Counts `position` with its dead stones removed and its [open borders](open_borders) closed. If play has ended
    /// under rules that count every remaining stone as alive, counts all stones and regions as they are.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails.
    pub fn evaluate(base: &dyn Evaluator, position: &Position) -> Result<Self, EvalError> {
        if ended_without_removing_dead(position) {
            return Ok(Self::new(position, PointSet::EMPTY, &ByColor::default()));
        }
        let mut ownership = Ownership::estimate_with_common_seed(base, position)?;
        let dead = dead_stones(position, &mut ownership, None);
        let completion = open_borders::completion(position, &ownership, &dead);
        let counted = Self::new(position, dead, &completion);
        Ok(Self {
            expected_score: expected_score(position, &ownership, &counted.count),
            ..counted
        })
    }

    fn new(position: &Position, dead: PointSet, completion: &ByColor<PointSet>) -> Self {
        let count = count_completed(position, &dead, completion);
        Self {
            status: FinalStatus::completed(position, dead, completion),
            expected_score: count.score,
            count,
        }
    }
}

/// Returns the score that is expected at the end of the game: settled points have the owner for whom they are counted in
/// `count`, and the others are shared in proportion to the chances of the two sides. If play has ended or few points are
/// unsettled, returns the score of `count`.
fn expected_score(position: &Position, ownership: &Ownership, count: &CountResult) -> Score {
    let size = position.size();
    let counted_owner = |point| {
        let owner = Color::BOTH
            .into_iter()
            .find(|&color| count.owned[color].contains(point));
        owner.map_or(0.0, |color| color.to_perspective(1.0))
    };
    let (mut unsettled, mut neutral, mut difference) = (0, 0, 0.0);
    for point in size.points() {
        let counted = counted_owner(point);
        let index = size.index(point);
        neutral += usize::from(counted == 0.0);
        if is_settled(ownership.black(index)) && counted != 0.0 {
            continue;
        }
        unsettled += usize::from(!is_settled(ownership.black(index)));
        difference += ownership.mean(index) - counted;
    }
    let is_nearly_over =
        are_few_unsettled(position, unsettled) && are_few_unsettled(position, neutral);
    if position.ended() || is_nearly_over {
        return count.score;
    }
    let half_points = count.score.black_lead_half_points();
    Score::from_half_points(half_points + 2 * difference.round() as i32)
}

/// Status of a point in the final position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointStatus {
    /// Living stone outside a seki.
    Alive,
    /// Dead stone, removed before counting.
    Dead,
    /// Living stone in a seki.
    Seki,
    /// Empty point counted for a colour.
    Territory(Color),
    /// Empty point counted for neither side.
    Dame,
}

impl PointStatus {
    pub const ALL: [Self; 6] = [
        Self::Alive,
        Self::Dead,
        Self::Seki,
        Self::Territory(Color::White),
        Self::Territory(Color::Black),
        Self::Dame,
    ];

    /// Returns the name used by GNU Go's `final_status`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alive => "alive",
            Self::Dead => "dead",
            Self::Seki => "seki",
            Self::Territory(Color::White) => "white_territory",
            Self::Territory(Color::Black) => "black_territory",
            Self::Dame => "dame",
        }
    }
}

/// Final status of all points. Each point belongs to exactly one set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FinalStatus {
    /// Living stones outside a seki.
    pub alive: PointSet,
    /// Dead stones, removed before counting.
    pub dead: PointSet,
    /// Living stones in a seki.
    pub seki: PointSet,
    /// Empty points counted for each colour.
    pub territory: ByColor<PointSet>,
    /// Empty points counted for neither side.
    pub dame: PointSet,
}

impl FinalStatus {
    /// Computes the status of all points. `dead` is the set of dead stones.
    pub fn new(position: &Position, dead: PointSet) -> Self {
        Self::completed(position, dead, &ByColor::default())
    }

    /// Computes the status of all points as if the stones in `completion` had also been played.
    fn completed(position: &Position, dead: PointSet, completion: &ByColor<PointSet>) -> Self {
        let board = position.board();
        let owned = count_completed(position, &dead, completion).owned;
        let territory = ByColor::from_fn(|color| owned[color] & board.empty_points());
        let seki = stones_in_seki(board, &dead, completion);
        Self {
            alive: board.occupied_points() - dead - seki,
            dead,
            seki,
            territory,
            dame: board.empty_points() - territory[Color::Black] - territory[Color::White],
        }
    }

    /// Returns all points with the given status.
    pub fn points(&self, status: PointStatus) -> PointSet {
        match status {
            PointStatus::Alive => self.alive,
            PointStatus::Dead => self.dead,
            PointStatus::Seki => self.seki,
            PointStatus::Territory(color) => self.territory[color],
            PointStatus::Dame => self.dame,
        }
    }

    pub fn at(&self, point: Point) -> PointStatus {
        let mut statuses = PointStatus::ALL.into_iter();
        let status = statuses.find(|&fate| self.points(fate).contains(point));
        status.unwrap_or(PointStatus::Dame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;
    use crate::game::rules::Rules;

    #[test]
    fn every_point_has_one_status() {
        let seki = "
            . O . O X . O X . X O
            O O O O X . O X X X .";
        let board = diagram::parse_board(seki).unwrap();
        let size = board.size();
        let dead = size.parse_vertex("L2").unwrap();
        let rules = Rules::parse("japanese").unwrap();
        let position = Position::from_board(board, Color::Black, rules);
        let status = FinalStatus::new(&position, PointSet::single(dead));
        for (vertex, fate) in [
            ("A1", PointStatus::Alive),
            ("A2", PointStatus::Territory(Color::White)),
            ("E1", PointStatus::Seki),
            ("F2", PointStatus::Dame),
            ("G2", PointStatus::Seki),
            ("H1", PointStatus::Alive),
            ("L1", PointStatus::Territory(Color::Black)),
            ("L2", PointStatus::Dead),
        ] {
            assert_eq!(
                status.at(size.parse_vertex(vertex).unwrap()),
                fate,
                "{vertex}"
            );
        }
        let counts = PointStatus::ALL.map(|fate| status.points(fate).len());
        assert_eq!(counts.iter().sum::<usize>(), size.area());
    }
}
