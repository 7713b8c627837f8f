//! The end of a game: when to pass, which [unsettled](super::decision) points to fill first, and which dead stones to
//! capture.
//!
//! [`Endgame`] chooses one move with the help of queries: short searches restricted to a few moves, ownership
//! estimates, and counts. On a game clock, no further queries are made once the move's time is up. The move chosen from
//! the main search is then played.

use std::time::{Duration, Instant};

use super::Engine;
use super::dead_stones::{capturing_moves, dead_stones};
use super::decision;
use super::final_status::pessimistic_count_after_pass;
use super::genmove_request::PendingMove;
use super::move_budget::{MoveBudget, QUERY_SHARE};
use super::necessary_move::Threats;
use super::ownership::Ownership;
use super::urgent_move::urgent_move;
use crate::eval::EvalError;
use crate::game::color::{ByColor, Color};
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Scoring;
use crate::game::score::{CountResult, count, stones_in_seki};
use crate::game::symmetry::Symmetry;
use crate::search::limits::SearchLimits;
use crate::search::report::{MoveReport, Report};
use crate::search::restriction::Restriction;

/// Minimum number of visits that a query adds to the root.
const MIN_QUERY_VISITS: u64 = 16;
/// Minimum loss of expected area, in points, at which a threat must be averted before a pass.
const MIN_THREAT_LOSS: f32 = 1.5;

/// Choice of a move near the end of a game, with the state shared by its queries.
pub(super) struct Endgame<'a> {
    engine: &'a mut Engine,
    /// Results of the main search for the move.
    report: &'a Report,
    budget: MoveBudget,
    /// Time by which the move must be played, or `None` if there is no game clock.
    deadline: Option<Instant>,
    /// Estimated minimum duration of a query: the time per evaluation in the main search, multiplied by the number of
    /// symmetries, because an ownership query evaluates the position under every symmetry.
    min_query_time: Duration,
    /// Time at which the previous query started, or `None` before the first one.
    last_query: Option<Instant>,
    /// Result of [`pessimistic_count_after_pass`](Self::pessimistic_count_after_pass), once it has been computed.
    pessimistic_count: Option<CountResult>,
    /// Whether many unsettled points remain. `None` unless `search_move` was chosen because it is on an unsettled
    /// point.
    pub has_many_unsettled: Option<bool>,
}

/// Status of the points and stones of a position.
struct PositionAssessment {
    ownership: Ownership,
    dead: PointSet,
    /// Legal moves to unsettled points.
    unsettled: Vec<Move>,
}

/// Reason why a query has no result.
enum QueryError {
    OutOfTime,
    Eval(EvalError),
}

impl From<EvalError> for QueryError {
    fn from(error: EvalError) -> Self {
        Self::Eval(error)
    }
}

impl<'a> Endgame<'a> {
    /// Prepares the choice of the move that `pending` requests. `report` is the result of the main search for that
    /// move.
    pub fn new(engine: &'a mut Engine, report: &'a Report, pending: &PendingMove) -> Self {
        let playouts = (report.visits)
            .saturating_sub(pending.initial_visits)
            .max(1);
        // With fewer playouts than threads, some threads were idle.
        let busy_threads = playouts.min(engine.settings.threads as u32);
        let evaluation = pending.started.elapsed() * busy_threads / playouts;
        let symmetries = Symmetry::for_size(engine.search.root().size()).count();
        Self {
            engine,
            report,
            budget: pending.budget,
            deadline: pending.budget.deadline(pending.started),
            min_query_time: evaluation * symmetries as u32,
            last_query: None,
            pessimistic_count: None,
            has_many_unsettled: None,
        }
    }

    /// Returns the move to play in `position`. `search_move` is the move that was chosen from the results of the main
    /// search.
    ///
    /// Returns `search_move` unless the game is over or nearly over. Returns a pass if passing wins, if no points
    /// remain to be gained, or if the game would otherwise repeat itself. Under area scoring, fills the unsettled
    /// points before passing. Before any pass, plays the [necessary defensive moves](super::necessary_move). While a
    /// pass is still [unreasonable](decision::is_pass_worth_considering), or would end the game although many points are
    /// unsettled, returns the best other move instead of a pass.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails.
    pub fn choose_move(
        &mut self,
        position: &Position,
        search_move: Move,
        sensible_moves: &Restriction,
    ) -> Result<Move, EvalError> {
        if decision::is_pass_cycle(position) {
            return Ok(Move::Pass);
        }
        let non_pass_move = match search_move {
            Move::Play(_) => search_move,
            Move::Pass => (self.report.moves.iter().map(|report| report.mv))
                .find(|&mv| mv != Move::Pass)
                .unwrap_or(search_move),
        };
        if !decision::is_pass_worth_considering(position) {
            return Ok(non_pass_move);
        }
        or_if_out_of_time(
            self.try_choose_move(position, search_move, non_pass_move, sensible_moves),
            search_move,
        )
    }

    /// Implements [`choose_move`](Self::choose_move) for positions where a pass is possible. `non_pass_move` is the
    /// best move other than a pass.
    fn try_choose_move(
        &mut self,
        position: &Position,
        search_move: Move,
        non_pass_move: Move,
        sensible_moves: &Restriction,
    ) -> Result<Move, QueryError> {
        let ends_game = decision::pass_ends_game(position);
        let passing_wins = ends_game
            && decision::wins_by_passing(position, &self.pessimistic_count_after_pass(position)?);
        let PositionAssessment {
            ownership,
            dead,
            unsettled,
        } = match self.assess(position, sensible_moves) {
            Err(QueryError::OutOfTime) if passing_wins => return Ok(Move::Pass),
            assessment => assessment?,
        };
        let has_few_unsettled = decision::are_few_unsettled(position, unsettled.len());
        if passing_wins && has_few_unsettled {
            let last_move = self
                .last_point_or_pass(position, unsettled, non_pass_move)
                .and_then(|mv| self.defend_before_pass(position, mv, &ownership, &dead));
            return Ok(or_if_out_of_time(last_move, Move::Pass)?);
        }
        if ends_game && !has_few_unsettled && search_move == Move::Pass {
            // The search sees only that a pass ends and perhaps wins the game.
            let best = self.best_sensible_point(position, sensible_moves)?;
            return Ok(best.unwrap_or(non_pass_move));
        }
        if decision::must_capture_dead(position, &dead) {
            return Ok(non_pass_move);
        }
        let is_finished = position.rules().scoring == Scoring::Territory
            && self.is_finished(position, search_move, &ownership, &dead)?;
        let Some(best) = self.reference_report(search_move)? else {
            return Ok(search_move);
        };
        let best = &best;
        if unsettled.contains(&search_move) && !is_finished {
            self.has_many_unsettled = Some(!has_few_unsettled);
            return Ok(search_move);
        }
        let is_free_pass = is_finished && ownership.is_corrected()
            || self.is_free_pass(search_move, best, is_finished)?;
        // With few unsettled points left, the loss of a pass may consist only of the points that remain to be filled.
        let is_nearly_over = is_free_pass || has_few_unsettled;
        if is_nearly_over
            && position.rules().scoring == Scoring::Area
            && let Some(filling) = self.filling_move(unsettled, best)?
        {
            return Ok(filling.mv);
        }
        if !is_free_pass {
            return Ok(search_move);
        }
        if let Some(urgent) = self.urgent_move(position, &ownership, best)? {
            return Ok(urgent);
        }
        // Play on while the status of stones is disputed: a move that loses nothing may clarify it.
        let worst_count = self.pessimistic_count_after_pass(position)?;
        let continues = self.engine.search.evaluator().predicts_lead()
            && decision::has_disputed_stones(position, &worst_count, &self.report.values)
            && find_move_report(self.report, non_pass_move)
                .is_some_and(|report| decision::loses_little(best, report));
        if continues {
            return Ok(non_pass_move);
        }
        self.defend_before_pass(position, Move::Pass, &ownership, &dead)
    }

    /// Returns the best of the sensible moves other than a pass, or `None` if there are none.
    fn best_sensible_point(
        &mut self,
        position: &Position,
        sensible_moves: &Restriction,
    ) -> Result<Option<Move>, QueryError> {
        let points = position.legal_points().iter().map(Move::Play);
        let points = points.filter(|&mv| sensible_moves.allows_at_root(mv));
        let report = self.query(points.collect())?;
        Ok(report.moves.first().map(|best| best.mv))
    }

    /// Returns the move to play in the cleanup phase, which follows a disagreement about dead stones. `search_move` is
    /// the move that was chosen from the results of the main search. Captures dead stones unless another move is more
    /// urgent. Once no dead stones are left to capture, passes unless a pass loses something.
    ///
    /// # Errors
    /// Returns the evaluator's error if an evaluation fails.
    pub fn choose_cleanup_move(
        &mut self,
        position: &Position,
        search_move: Move,
    ) -> Result<Move, EvalError> {
        or_if_out_of_time(
            self.try_choose_cleanup_move(position, search_move),
            search_move,
        )
    }

    fn try_choose_cleanup_move(
        &mut self,
        position: &Position,
        search_move: Move,
    ) -> Result<Move, QueryError> {
        self.start_query()?;
        let mut ownership = Ownership::estimate_with_common_seed(&*self.engine.base, position)?;
        let Some(best) = self.reference_report(search_move)? else {
            return Ok(search_move);
        };
        let dead = dead_stones(position, &mut ownership, self.deadline);
        let captures = capturing_moves(position, &dead, self.deadline);
        if !captures.is_empty() {
            let capture_report = self.query(captures)?;
            let capture = capture_report.moves.first();
            let capture = capture.filter(|capture| {
                search_move == Move::Pass || decision::loses_little(&best, capture)
            });
            return Ok(capture.map_or(search_move, |capture| capture.mv));
        }
        let is_finished = self.is_finished(position, search_move, &ownership, &dead)?;
        let is_free_pass = is_finished && ownership.is_corrected()
            || self.is_free_pass(search_move, &best, is_finished)?;
        Ok(if is_free_pass {
            Move::Pass
        } else {
            search_move
        })
    }

    /// Assesses the position, using the ownership from the main search if available.
    fn assess(
        &mut self,
        position: &Position,
        sensible_moves: &Restriction,
    ) -> Result<PositionAssessment, QueryError> {
        self.start_query()?;
        let mut ownership = match Ownership::from_report(position, self.report) {
            Some(ownership) => ownership,
            None => Ownership::estimate_with_common_seed(&*self.engine.base, position)?,
        };
        let dead = dead_stones(position, &mut ownership, self.deadline);
        let unsettled = decision::unsettled_moves(position, &ownership, &dead, sensible_moves);
        Ok(PositionAssessment {
            ownership,
            dead,
            unsettled,
        })
    }

    /// Returns `mv` unless it is a pass before which stones must be defended. Then returns the defensive move.
    fn defend_before_pass(
        &mut self,
        position: &Position,
        mv: Move,
        ownership: &Ownership,
        dead: &PointSet,
    ) -> Result<Move, QueryError> {
        if mv != Move::Pass {
            return Ok(mv);
        }
        self.start_query()?;
        let threats = Threats::find(position, dead, self.deadline);
        if threats.endangered.is_empty() {
            return Ok(mv);
        }
        // The capture may be worthless, for example because the opponent's stones are captured in return.
        self.start_query()?;
        let after_threats = threats.position_after(position);
        let after = Ownership::estimate_with_common_seed(&*self.engine.base, &after_threats)?;
        let lead = |ownership: &Ownership| {
            let black: f32 = ownership.as_slice().iter().sum();
            position.to_move().to_perspective(black)
        };
        if lead(&after) > lead(ownership) - MIN_THREAT_LOSS {
            return Ok(mv);
        }
        let defences = threats.defences(position, dead, self.deadline);
        match defences[..] {
            [] => Ok(mv),
            [only] => Ok(only),
            _ => {
                let report = self.query(defences)?;
                Ok(report.moves.first().map_or(mv, |report| report.mv))
            }
        }
    }

    /// Returns an unsettled point to fill before a winning pass, or a pass if there is no such point or filling it
    /// would be risky.
    ///
    /// Under area scoring every point counts, and players may count differently while a point is unsettled. The loss of
    /// a move is measured against `non_pass_move`, because the value of a pass may be wrong: if the rules do not remove
    /// dead stones, the search counts them as alive after a pass.
    fn last_point_or_pass(
        &mut self,
        position: &Position,
        unsettled: Vec<Move>,
        non_pass_move: Move,
    ) -> Result<Move, QueryError> {
        if position.rules().scoring != Scoring::Area {
            return Ok(Move::Pass);
        }
        let Some(best) = find_move_report(self.report, non_pass_move).cloned() else {
            return Ok(Move::Pass);
        };
        let last_move = if unsettled.contains(&non_pass_move) {
            Some(best)
        } else {
            self.filling_move(unsettled, &best)?
        };
        let last_move = last_move.filter(decision::is_won);
        Ok(last_move.map_or(Move::Pass, |report| report.mv))
    }

    /// Searches the moves in `unsettled` and returns the result of the best one. Returns `None` if `unsettled` is
    /// empty, or if that move loses something compared with `best`.
    fn filling_move(
        &mut self,
        unsettled: Vec<Move>,
        best: &MoveReport,
    ) -> Result<Option<MoveReport>, QueryError> {
        if unsettled.is_empty() {
            return Ok(None);
        }
        let first = self.query(unsettled)?.moves.into_iter().next();
        Ok(first.filter(|report| decision::loses_little(best, report)))
    }

    /// Returns true if `search_move` is a pass, or if a pass is about as good as `best`. If `is_finished` is true, a
    /// pass that loses no stones is good enough.
    fn is_free_pass(
        &mut self,
        search_move: Move,
        best: &MoveReport,
        is_finished: bool,
    ) -> Result<bool, QueryError> {
        if search_move == Move::Pass {
            return Ok(true);
        }
        let pass_report = self.query(vec![Move::Pass])?;
        let pass = find_move_report(&pass_report, Move::Pass);
        Ok(pass.is_some_and(|pass| {
            decision::is_free_pass(best, pass)
                || is_finished && decision::loses_no_stones(best, pass)
        }))
    }

    /// Returns a move that provably saves or kills a group. Returns `None` if no such move is found, or if the move
    /// loses much compared with `best`.
    fn urgent_move(
        &mut self,
        position: &Position,
        ownership: &Ownership,
        best: &MoveReport,
    ) -> Result<Option<Move>, QueryError> {
        self.start_query()?;
        let query_deadline = (self.budget.target_time())
            .and_then(|time| Instant::now().checked_add(time.mul_f64(QUERY_SHARE)));
        let deadline = [query_deadline, self.deadline].into_iter().flatten().min();
        let Some(mv) = urgent_move(position, ownership, deadline) else {
            return Ok(None);
        };
        let report = self.query(vec![mv])?;
        let is_safe = |report: &&MoveReport| decision::loses_no_stones(best, report);
        Ok(find_move_report(&report, mv).filter(is_safe).map(|_| mv))
    }

    /// Returns true if no points remain to be gained: every point with a clear owner is counted for that owner,
    /// `search_move` is a pass, a move to a point that is already counted for one side, or a liberty of stones in seki,
    /// and the most pessimistic count after a pass is not worse than the current count.
    fn is_finished(
        &mut self,
        position: &Position,
        search_move: Move,
        ownership: &Ownership,
        dead: &PointSet,
    ) -> Result<bool, QueryError> {
        let current_count = count(position, dead);
        let seki = stones_in_seki(position.board(), dead, &ByColor::default());
        let [black, white] = Color::BOTH.map(|color| current_count.owned[color]);
        let worthless = black | white | seki.neighbours(position.board().all_points());
        let gains_nothing = (search_move.point()).is_none_or(|point| worthless.contains(point));
        if !gains_nothing
            || !decision::expected_owners_are_counted(position, ownership, &current_count)
        {
            return Ok(false);
        }
        let lead = |final_count: &CountResult| {
            position
                .to_move()
                .to_perspective(final_count.score.black_lead_points())
        };
        Ok(lead(&self.pessimistic_count_after_pass(position)?) >= lead(&current_count))
    }

    /// Returns the search result of the reference move, with which passes and other moves are compared. At the highest
    /// level, this is `search_move`; otherwise, it is the search's best move. If a lower level gave that move only a
    /// few visits, searches the move further, so that weak levels also recognise the end of the game. Returns `None` if
    /// the move has no result.
    fn reference_report(&mut self, search_move: Move) -> Result<Option<MoveReport>, QueryError> {
        if self.engine.settings.level.is_full() {
            return Ok(find_move_report(self.report, search_move).cloned());
        }
        let Some(best) = self.report.moves.first() else {
            return Ok(None);
        };
        if u64::from(best.visits) >= MIN_QUERY_VISITS {
            return Ok(Some(best.clone()));
        }
        let best = best.mv;
        let report = self.query(vec![best])?;
        Ok(find_move_report(&report, best).cloned())
    }

    /// Continues the search for a short time with the root restricted to `moves`. Omits moves without visits from the
    /// report.
    fn query(&mut self, moves: Vec<Move>) -> Result<Report, QueryError> {
        let remaining = self.start_query()?;
        let visits = u64::from(self.report.visits);
        let extra_visits = ((visits as f64 * QUERY_SHARE) as u64).max(MIN_QUERY_VISITS);
        let query_time = (self.budget.target_time()).map(|time| time.mul_f64(QUERY_SHARE));
        let time = [query_time, remaining].into_iter().flatten().min();
        let limits = SearchLimits {
            visits: Some(u64::from(self.engine.search.tree().root().visits()) + extra_visits),
            time,
            ..SearchLimits::default()
        };
        let restriction = Restriction::only(moves);
        let mut report = self.engine.search.run(limits, restriction.clone())?;
        // The query's restriction forced visits to these moves. A later search from this root must not reuse them.
        self.engine.search_restriction = restriction;
        // A move without visits has no values.
        report.moves.retain(|report| report.visits > 0);
        Ok(report)
    }

    /// Returns the most pessimistic count for the side to move if it passes and the game ends.
    fn pessimistic_count_after_pass(
        &mut self,
        position: &Position,
    ) -> Result<CountResult, QueryError> {
        if let Some(count) = self.pessimistic_count {
            return Ok(count);
        }
        self.start_query()?;
        let count = pessimistic_count_after_pass(&*self.engine.base, position, self.deadline)?;
        Ok(*self.pessimistic_count.insert(count))
    }

    /// Returns the time available for another query, or `None` if it is unlimited. Returns [`QueryError::OutOfTime`] if
    /// the remaining time is at most the duration of the previous query or at most the estimated minimum duration of a
    /// query.
    fn start_query(&mut self) -> Result<Option<Duration>, QueryError> {
        let now = Instant::now();
        let last_duration = self.last_query.replace(now).map(|previous| now - previous);
        let remaining = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(now));
        match remaining {
            Some(remaining)
                if remaining <= last_duration.unwrap_or_default().max(self.min_query_time) =>
            {
                Err(QueryError::OutOfTime)
            }
            remaining => Ok(remaining),
        }
    }
}

/// Returns the move in `result`, or `fallback` if the queries ran out of time.
fn or_if_out_of_time(result: Result<Move, QueryError>, fallback: Move) -> Result<Move, EvalError> {
    match result {
        Ok(mv) => Ok(mv),
        Err(QueryError::OutOfTime) => Ok(fallback),
        Err(QueryError::Eval(error)) => Err(error),
    }
}

fn find_move_report(report: &Report, mv: Move) -> Option<&MoveReport> {
    report.moves.iter().find(|report| report.mv == mv)
}
