//! Decisions at the end of a game. The functions depend only on a position and on search results.
//!
//! A point is *settled* if its owner is practically certain. *Unsettled* points are neutral or contested. To *fill* an
//! unsettled point means to play there.

use super::ownership::Ownership;
use crate::game::benson::pass_alive;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Scoring;
use crate::game::score::{CountResult, count};
use crate::search::report::{MoveReport, ValueEstimates};
use crate::search::restriction::Restriction;

/// The engine's choice on its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Play(Point),
    Pass,
    Resign,
}

impl Decision {
    /// Returns the move, or `None` for a resignation.
    pub const fn mv(self) -> Option<Move> {
        match self {
            Self::Play(point) => Some(Move::Play(point)),
            Self::Pass => Some(Move::Pass),
            Self::Resign => None,
        }
    }

    /// Formats the decision as `pass`, `resign`, or a vertex on a board of `size`.
    pub fn to_text(self, size: BoardSize) -> String {
        self.mv()
            .map_or_else(|| "resign".to_owned(), |mv| size.format_move(mv))
    }
}

impl From<Move> for Decision {
    fn from(mv: Move) -> Self {
        mv.point().map_or(Self::Pass, Self::Play)
    }
}

/// Minimum absolute ownership (0 to 1) of a settled point.
const SETTLED_OWNERSHIP: f32 = 0.85;
/// Ratio of the board area to the maximum number of unsettled points that counts as few.
const FEW_UNSETTLED_DIVISOR: usize = 12;
/// Maximum loss of expected lead, in points, at which a pass counts as free, that is, about as good as the best move.
const MAX_PASS_LOSS_POINTS: f64 = 0.4;
/// Maximum loss of win rate at which a pass counts as free.
const MAX_PASS_LOSS_WINRATE: f64 = 0.03;
/// Maximum difference between two estimates of the lead, in points, that neutral points can explain. A larger
/// difference means that stones are at stake.
const MAX_NEUTRAL_DIFFERENCE_POINTS: f64 = 5.0;
/// Maximum difference between two win rates that neutral points can explain.
const MAX_NEUTRAL_DIFFERENCE_WINRATE: f64 = 0.25;
/// Minimum absolute ownership (0 to 1) of a point with a clear expected owner. On a finished board, the point must be
/// counted for that owner.
const CLEAR_OWNERSHIP: f32 = 0.5;
/// Maximum loss of expected lead, in points, at which filling an unsettled point is considered safe. Estimates of
/// equally good moves may differ by this much.
const MAX_SMALL_LOSS_POINTS: f64 = 1.0;
/// Maximum loss of win rate at which filling an unsettled point is considered safe.
const MAX_SMALL_LOSS_WINRATE: f64 = 0.05;
/// Minimum win rate at which a game is considered practically won.
const MIN_WON_WINRATE: f64 = 0.9;

/// Returns a restriction to the moves that are worth searching.
///
/// Excludes moves inside areas that Benson's algorithm proves to belong to one side. The owner of such an area may
/// still play there if the area contains opposing stones and the rules do not remove dead stones at the end of the
/// game. Excludes a pass unless it is [reasonable](is_pass_worth_considering) or no other move remains.
pub fn sensible_moves(position: &Position) -> Restriction {
    let board = position.board();
    let mut useless = PointSet::EMPTY;
    for owner in Color::BOTH {
        let alive = pass_alive(board, owner, position.rules().suicide);
        for region in alive.territory.components() {
            let dead = region & *board.stones(owner.opposite());
            if dead.is_empty()
                || position.rules().removes_dead_stones()
                || owner != position.to_move()
            {
                useless |= region;
            }
        }
    }
    let useless = useless & board.empty_points();
    let mut avoided: Vec<Move> = useless.iter().map(Move::Play).collect();
    if !is_pass_worth_considering(position) && !(position.legal_points() - useless).is_empty() {
        avoided.push(Move::Pass);
    }
    if avoided.is_empty() {
        Restriction::none()
    } else {
        Restriction::except(avoided)
    }
}

/// Returns true if a pass may be reasonable: at least a quarter of the board is occupied. If the pass would end the
/// game, the borders must also be closed, or at least three eighths of the board must be occupied. A player who passes
/// earlier has hardly meant to end the game.
pub fn is_pass_worth_considering(position: &Position) -> bool {
    let (occupied, area) = (
        position.board().occupied_points().len(),
        position.size().area(),
    );
    let is_early = pass_ends_game(position) && 8 * occupied < 3 * area;
    occupied >= area / 4 && !(is_early && has_open_borders(position))
}

/// Returns true if many empty points are connected to stones of both sides.
fn has_open_borders(position: &Position) -> bool {
    let owned = count(position, &PointSet::EMPTY).owned;
    let unowned = position.board().empty_points() - owned[Color::Black] - owned[Color::White];
    !are_few_unsettled(position, unowned.len())
}

/// Returns true if a pass of the side to move ends the game: the opponent has just passed, without taking the button.
pub fn pass_ends_game(position: &Position) -> bool {
    let opponent_passed =
        position.past_move(0) == Some((position.to_move().opposite(), Move::Pass));
    opponent_passed && position.passes() > 0
}

/// Returns true if a point with this expected owner, from -1 to 1, is settled.
pub fn is_settled(owner: f32) -> bool {
    owner.abs() >= SETTLED_OWNERSHIP
}

/// Returns true if `num_unsettled` unsettled points are so few that the game is nearly over.
pub fn are_few_unsettled(position: &Position, num_unsettled: usize) -> bool {
    num_unsettled <= position.size().area() / FEW_UNSETTLED_DIVISOR
}

/// Returns true if the end of the game may be near: the opponent has just passed, or at least half of the board is
/// occupied.
pub fn is_late_game(position: &Position) -> bool {
    position.last_move_was_pass()
        || position.board().occupied_points().len() >= position.size().area() / 2
}

/// Returns true if the opponent has just passed and had already passed in the same position earlier in the game. Always
/// false under superko.
///
/// Without superko, the moves between the two passes could repeat forever, and some rules end the game at this point.
/// The engine therefore passes as well. If a game is resumed after two passes, a third pass is not a repetition.
pub fn is_pass_cycle(position: &Position) -> bool {
    position.passes() == 1 && position.last_move_was_pass() && position.had_passed_in_situation(1)
}

/// Returns true if the side to move wins according to `final_count`, the most pessimistic count for that side if a pass
/// ends the game.
pub fn wins_by_passing(position: &Position, final_count: &CountResult) -> bool {
    final_count.score.winner() == Some(position.to_move())
}

/// Returns true if `final_count`, the most pessimistic count for the side to move, is so much worse than the lead in
/// `search_values` that the players may disagree about which stones are dead. In that case, it is better to play on
/// until the dead stones are obvious. Always returns false under territory scoring, where the additional moves cost
/// points.
pub fn has_disputed_stones(
    position: &Position,
    final_count: &CountResult,
    search_values: &ValueEstimates,
) -> bool {
    let lead = f64::from(
        position
            .to_move()
            .to_perspective(final_count.score.black_lead_points()),
    );
    position.rules().scoring == Scoring::Area
        && lead + MAX_NEUTRAL_DIFFERENCE_POINTS < search_values.score_lead
}

/// Returns the legal moves to unsettled points that `sensible_moves` allows. Under area scoring, where an unnecessary
/// move costs nothing, also includes the points that are neutral once the stones in `dead` are removed.
pub fn unsettled_moves(
    position: &Position,
    ownership: &Ownership,
    dead: &PointSet,
    sensible_moves: &Restriction,
) -> Vec<Move> {
    let size = position.size();
    let neutral = match position.rules().scoring {
        Scoring::Area => neutral_points(position, dead),
        Scoring::Territory => PointSet::EMPTY,
    };
    let is_unsettled = |point: &Point| {
        neutral.contains(*point) || !is_settled(ownership.black(size.index(*point)))
    };
    let moves = position
        .legal_points()
        .iter()
        .filter(is_unsettled)
        .map(Move::Play);
    moves
        .filter(|mv| sensible_moves.allows_at_root(*mv))
        .collect()
}

/// Returns the points that count for neither side after the stones in `dead` are removed, except points where a move by
/// the side to move is self-atari, as in a seki. If a living chain of the side to move is in atari, its last liberty is
/// included, because the opponent might consider the chain dead.
fn neutral_points(position: &Position, dead: &PointSet) -> PointSet {
    let (board, color) = (position.board(), position.to_move());
    let owned = count(position, dead).owned;
    let unowned = *board.all_points() - owned[Color::Black] - owned[Color::White];
    let is_self_atari = |&point: &Point| {
        board.is_empty_at(point)
            && board.captured_by_move(color, point).is_empty()
            && board.liberties_after(color, point).len() < 2
    };
    let mut points: PointSet = unowned
        .iter()
        .filter(|point| !is_self_atari(point))
        .collect();
    for chain in board.chains() {
        let is_alive = chain.color == color && !chain.stones.intersects(dead);
        if is_alive && chain.liberties.len() == 1 {
            points |= chain.liberties;
        }
    }
    points
}

/// Returns true if `dead` contains opposing stones that would be counted as alive if the game ended now.
pub fn must_capture_dead(position: &Position, dead: &PointSet) -> bool {
    let opposing = position.board().stones(position.to_move().opposite());
    !position.rules().removes_dead_stones() && dead.intersects(opposing)
}

/// Returns true if every point with a clear expected owner is counted for that owner in `final_count`. This is not the
/// case while a border between territories is still open.
pub fn expected_owners_are_counted(
    position: &Position,
    ownership: &Ownership,
    final_count: &CountResult,
) -> bool {
    let size = position.size();
    let is_counted = |point: Point| {
        let black = ownership.black(size.index(point));
        let owner = if black > 0.0 {
            Color::Black
        } else {
            Color::White
        };
        black.abs() < CLEAR_OWNERSHIP || final_count.owned[owner].contains(point)
    };
    position.board().all_points().iter().all(is_counted)
}

/// Returns true if `pass` is about as good as `best`, the best move.
pub fn is_free_pass(best: &MoveReport, pass: &MoveReport) -> bool {
    loses_at_most(best, pass, MAX_PASS_LOSS_POINTS, MAX_PASS_LOSS_WINRATE)
}

/// Returns true if `pass` loses no stones compared with `best`. The tolerance is much larger than in [`is_free_pass`],
/// because on a finished board the estimates for worthless moves vary widely.
pub fn loses_no_stones(best: &MoveReport, pass: &MoveReport) -> bool {
    loses_at_most(
        best,
        pass,
        MAX_NEUTRAL_DIFFERENCE_POINTS,
        MAX_NEUTRAL_DIFFERENCE_WINRATE,
    )
}

/// Returns true if `filling`, a move to an unsettled point, loses nothing elsewhere compared with `best`. The move
/// itself gains a point under area scoring.
pub fn loses_little(best: &MoveReport, filling: &MoveReport) -> bool {
    loses_at_most(best, filling, MAX_SMALL_LOSS_POINTS, MAX_SMALL_LOSS_WINRATE)
}

/// Returns true if the game is practically won for the side that plays the move in `report`.
pub fn is_won(report: &MoveReport) -> bool {
    report.values.winrate >= MIN_WON_WINRATE
}

/// Returns true if `other`, compared with `best`, loses at most `points` of the expected lead and at most `winrate` of
/// the win rate. Adds one standard error of the difference in lead to `points`, because individual playouts vary
/// widely.
fn loses_at_most(best: &MoveReport, other: &MoveReport, points: f64, winrate: f64) -> bool {
    let squared_error = |report: &MoveReport| {
        report.values.score_deviation.powi(2) / f64::from(report.visits.max(1))
    };
    let error = (squared_error(best) + squared_error(other)).sqrt();
    other.values.score_lead >= best.values.score_lead - points - error
        && other.values.winrate >= best.values.winrate - winrate
}
