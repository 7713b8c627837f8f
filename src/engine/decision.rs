//! Whether to pass or resign: judgements on a position and what the search says of it.

use super::ownership::Ownership;
use crate::game::benson::pass_alive;
use crate::game::color::Color;
use crate::game::point::{BoardSize, Move, Point};
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Scoring;
use crate::game::score::{CountResult, count};
use crate::search::report::{MoveReport, Values};
use crate::search::restriction::Restriction;

/// What the engine does with its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Plays there.
    Play(Point),
    /// Passes.
    Pass,
    /// Gives up.
    Resign,
}

impl Decision {
    /// The move, unless it is to give up.
    pub const fn mv(self) -> Option<Move> {
        match self {
            Self::Play(point) => Some(Move::Play(point)),
            Self::Pass => Some(Move::Pass),
            Self::Resign => None,
        }
    }

    /// The vertex on a board of that size, `pass` or `resign`.
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

/// An owner this certain (0 to 1) is taken as settled.
const SETTLED_OWNERSHIP: f32 = 0.85;
/// A pass costs nothing when it loses at most this many points of expected lead ...
const MAX_PASS_LOSS_POINTS: f64 = 0.4;
/// ... and this much chance to win.
const MAX_PASS_LOSS_WINRATE: f64 = 0.03;
/// A count that is so many points off is no matter of neutral points.
const UNCERTAIN_POINTS: f64 = 5.0;
/// Nor is so much chance to win.
const UNCERTAIN_WINRATE: f64 = 0.25;
/// Owners more certain than this must be counted so before a board is finished.
const COUNTED_OWNERSHIP: f32 = 0.5;
/// Estimates differ by so much between moves that are worth the same.
const MAX_FILLING_LOSS_POINTS: f64 = 1.0;
/// The same for the chance to win.
const MAX_FILLING_LOSS_WINRATE: f64 = 0.05;
/// A game is as good as won with this chance to win it.
const MIN_WON_WINRATE: f64 = 0.9;

/// The moves worth a thought: all but those in areas that Benson proves to be somebody's. Where stones that are dead
/// there still count at the end, the region they stand in stays open to capturing them. A pass is, where it
/// [may be](may_pass) or nothing else is left.
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
    let useless = useless & board.empty();
    let mut avoided: Vec<Move> = useless.iter().map(Move::Play).collect();
    if !may_pass(position) && !(position.legal_points() - useless).is_empty() {
        avoided.push(Move::Pass);
    }
    if avoided.is_empty() {
        Restriction::none()
    } else {
        Restriction::except(avoided)
    }
}

/// Whether a pass is to be thought of: the opponent has just passed, or there are stones enough for the board to be
/// settled.
pub fn may_pass(position: &Position) -> bool {
    position.last_move_was_pass() || position.board().occupied().len() >= position.size().area() / 4
}

/// Whether the questions of a game's end are likely to be put: the opponent has just passed, or half of the board is
/// full.
pub fn is_late_game(position: &Position) -> bool {
    position.last_move_was_pass() || position.board().occupied().len() >= position.size().area() / 2
}

/// Whether the opponent has passed where it had passed before, all stones being as they were. Without superko play could
/// go round like that for ever, and under some rules it is over then; whoever has nothing else to show passes too. Where
/// a game is taken up again after two passes, a third one goes round nothing.
pub fn is_pass_cycle(position: &Position) -> bool {
    position.passes() == 1 && position.last_move_was_pass() && position.passed_in_this_situation(1)
}

/// Whether passing now, after the opponent's pass, ends the game as won, by the worst count of what the passes leave.
pub fn wins_by_passing(position: &Position, final_count: &CountResult) -> bool {
    final_count.score.winner() == Some(position.to_move())
}

/// Whether the worst count to be feared gives the side to move so much less than the search expects that stones must be
/// in doubt: then it is better to play on until everybody can see what is dead. Under territory scoring that costs
/// points, so nothing is done there.
pub fn has_disputed_stones(
    position: &Position,
    final_count: &CountResult,
    search_values: &Values,
) -> bool {
    let lead = f64::from(
        position
            .to_move()
            .to_perspective(final_count.score.points()),
    );
    position.rules().scoring == Scoring::Area && lead + UNCERTAIN_POINTS < search_values.score_lead
}

/// The legal moves to points whose owner is open: dame, and whatever is still fought for. Under area scoring, where a
/// needless move costs nothing, also those to points that would be [nobody's](neutral) if the game was counted now,
/// with the stones in `dead` taken off.
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
        neutral.contains(*point) || ownership.black(size.index(*point)).abs() < SETTLED_OWNERSHIP
    };
    let moves = position
        .legal_points()
        .iter()
        .filter(is_unsettled)
        .map(Move::Play);
    moves.filter(|mv| sensible_moves.allows(*mv)).collect()
}

/// The points that are nobody's when the stones in `dead` have been taken off, and the last liberties of living stones of
/// the side to move, which somebody may think lost.
fn neutral_points(position: &Position, dead: &PointSet) -> PointSet {
    let board = position.board();
    let owned = count(position, dead).owned;
    let mut points = *board.area() - owned[Color::Black] - owned[Color::White];
    for chain in board.chains() {
        let is_alive = chain.color == position.to_move() && !chain.stones.intersects(dead);
        if is_alive && chain.liberties.len() == 1 {
            points |= chain.liberties;
        }
    }
    points
}

/// Whether opposing stones that are dead would count as alive if play ended now.
pub fn must_capture(position: &Position, dead: &PointSet) -> bool {
    let opposing = position.board().stones(position.to_move().opposite());
    !position.rules().removes_dead_stones() && dead.intersects(opposing)
}

/// Whether the board is finished: all points that have an owner would be counted for it. Where borders are open they
/// would not.
pub fn is_finished(position: &Position, ownership: &Ownership, final_count: &CountResult) -> bool {
    let size = position.size();
    let is_counted = |point: Point| {
        let black = ownership.black(size.index(point));
        let owner = if black > 0.0 {
            Color::Black
        } else {
            Color::White
        };
        black.abs() < COUNTED_OWNERSHIP || final_count.owned[owner].contains(point)
    };
    position.board().area().iter().all(is_counted)
}

/// Whether a pass is as good as the best move.
pub fn is_free_pass(best: &MoveReport, pass: &MoveReport) -> bool {
    loses_at_most(best, pass, MAX_PASS_LOSS_POINTS, MAX_PASS_LOSS_WINRATE)
}

/// Whether a pass loses no stones for all that is known, on a finished board, where estimates of moves that are worth
/// nothing differ widely.
pub fn loses_no_stones(best: &MoveReport, pass: &MoveReport) -> bool {
    loses_at_most(best, pass, UNCERTAIN_POINTS, UNCERTAIN_WINRATE)
}

/// Whether filling an open point, which area scoring rewards with a point, loses nothing elsewhere.
pub fn is_safe_filling(best: &MoveReport, filling: &MoveReport) -> bool {
    loses_at_most(
        best,
        filling,
        MAX_FILLING_LOSS_POINTS,
        MAX_FILLING_LOSS_WINRATE,
    )
}

/// Whether the game is as good as won after a move.
pub fn is_won(report: &MoveReport) -> bool {
    report.values.winrate >= MIN_WON_WINRATE
}

/// Whether the other move loses no more than that, a standard error of the leads allowed for: playouts scatter widely.
fn loses_at_most(best: &MoveReport, other: &MoveReport, points: f64, winrate: f64) -> bool {
    let squared_error = |report: &MoveReport| {
        report.values.score_deviation.powi(2) / f64::from(report.visits.max(1))
    };
    let error = (squared_error(best) + squared_error(other)).sqrt();
    other.values.score_lead >= best.values.score_lead - points - error
        && other.values.winrate >= best.values.winrate - winrate
}
