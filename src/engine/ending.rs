//! The end of a game: whether to pass, and what is still worth a move or must be cleared away.
//!
//! On a clock these questions end with the move's time: the move that the search has chosen is better than a lost game.

use std::time::{Duration, Instant};

use super::Engine;
use super::critical::critical_move;
use super::dead::{capturing_moves, dead_stones};
use super::decide;
use super::effort::Effort;
use super::genmove::{Thinking, Wish};
use super::ownership::Ownership;
use crate::eval::EvalError;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Scoring;
use crate::game::score::{Count, count};
use crate::game::symmetry::Symmetry;
use crate::search::limits::Limits;
use crate::search::report::{MoveReport, Report};
use crate::search::restriction::Restriction;

/// Visits and time of one question to the search, as a share of those of a move. Time for two is kept back; where more
/// are asked, a move without a clock takes that much longer.
pub(super) const SHARE: f64 = 0.1;
/// But at least so many visits.
const FEWEST_VISITS: u64 = 16;
/// Fewer open points than the board has, divided by this, are few.
const FEW_OPEN: usize = 12;

/// The questions that the end of a game raises about one move, asked in the time that is left for it.
pub(super) struct Ending<'a> {
    engine: &'a mut Engine,
    /// What the move's search found.
    searched: Report,
    /// What the move may take.
    effort: Effort,
    /// Whether the move is to be played, and not advice.
    is_played: bool,
    /// When the answers must be there.
    due: Option<Instant>,
    /// What a question takes at least, as the search tells: who owns the points is asked in all symmetries.
    least: Duration,
    /// When the last question was put.
    asked: Option<Instant>,
}

/// How a board stands.
struct Outlook {
    /// Who owns which point.
    ownership: Ownership,
    /// The stones that are dead.
    dead: PointSet,
    /// The moves to points that are still to be had.
    open: Vec<Move>,
}

/// Why a question was not answered.
enum Unanswered {
    /// There was no time left for it.
    Late,
    /// An evaluation failed.
    Failed(EvalError),
}

impl From<EvalError> for Unanswered {
    fn from(error: EvalError) -> Self {
        Self::Failed(error)
    }
}

impl<'a> Ending<'a> {
    /// Questions about the position that was searched last, for the move being thought about.
    pub fn new(engine: &'a mut Engine, thinking: &Thinking) -> Self {
        let Thinking {
            started,
            kept,
            effort,
            wish: Wish { play, .. },
            ..
        } = *thinking;
        let searched = engine.search.report();
        let playouts = searched.visits.saturating_sub(kept).max(1);
        // With few playouts some threads had nothing to do.
        let busy = playouts.min(engine.settings.threads as u32);
        let evaluation = started.elapsed() * busy / playouts;
        let symmetries = Symmetry::of(engine.position().size()).count();
        Self {
            least: evaluation * symmetries as u32,
            searched,
            engine,
            effort,
            is_played: play,
            due: effort.due(started),
            asked: None,
        }
    }

    /// What to do where the search of `position` would play `chosen`: that, unless the game is over or as good as over.
    /// Then it is a pass, if that wins or nothing is left to gain or play goes round; under area scoring the open points
    /// come first.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub fn settle(
        &mut self,
        position: &Position,
        chosen: Move,
        sensible: &Restriction,
    ) -> Result<Move, EvalError> {
        if decide::goes_round(position) {
            return Ok(Move::Pass);
        }
        let stone = match chosen {
            Move::Play(_) => chosen,
            Move::Pass => (self.searched.moves.iter().map(|report| report.mv))
                .find(|&mv| mv != Move::Pass)
                .unwrap_or(chosen),
        };
        if !decide::may_pass(position) {
            return Ok(stone);
        }
        or_in_haste(self.settled(position, chosen, stone, sensible), chosen)
    }

    /// [`settle`](Self::settle) where a pass is to be thought of; `stone` is what to play instead of one.
    fn settled(
        &mut self,
        position: &Position,
        chosen: Move,
        stone: Move,
        sensible: &Restriction,
    ) -> Result<Move, Unanswered> {
        // The pass that took a button does not count towards the end.
        if position.passes() > 0
            && decide::wins_by_passing(position, &self.worst_count_after_pass(position)?)
        {
            let last = self.last_point_or_pass(position, stone, sensible);
            return Ok(or_in_haste(last, Move::Pass)?);
        }
        let Outlook {
            ownership,
            dead,
            open,
        } = self.outlook(position, sensible)?;
        if decide::must_capture(position, &dead) {
            return Ok(stone);
        }
        let finished = position.rules().scoring == Scoring::Territory
            && self.is_finished(position, chosen, &ownership, &dead)?;
        let Some(best) = self.best_known(chosen)? else {
            return Ok(chosen);
        };
        let best = &best;
        let few = open.len() <= position.size().area() / FEW_OPEN;
        if open.contains(&chosen) && !finished {
            if self.is_played {
                let moves = self.engine.record.moves().len();
                self.engine.course.amid_play = (!few).then_some(moves);
            }
            return Ok(chosen);
        }
        let free = self.passes_freely(chosen, best, finished)?;
        // With few points open a pass may cost just what is left to fill.
        let nearly_over = free || few;
        if nearly_over
            && position.rules().scoring == Scoring::Area
            && let Some(filling) = self.filling(open, best)?
        {
            return Ok(filling.mv);
        }
        if !free {
            return Ok(chosen);
        }
        if let Some(vital) = self.vital(position, &ownership, best)? {
            return Ok(vital);
        }
        // Neither is it over while stones are in doubt, and a move that loses nothing may make plain what they are.
        let counted = self.worst_count_after_pass(position)?;
        let plays_on = self.engine.search.evaluator().tells_lead()
            && decide::is_doubtful(position, &counted, &self.searched.values)
            && find(&self.searched, stone).is_some_and(|stone| decide::fills_safely(best, stone));
        Ok(if plays_on { stone } else { Move::Pass })
    }

    /// What to do after the players could not agree what is dead, where the search would play `chosen`: a capture of what
    /// is dead, unless something else is more urgent; then a pass, unless that costs something.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub fn clear_away(&mut self, position: &Position, chosen: Move) -> Result<Move, EvalError> {
        or_in_haste(self.cleared_away(position, chosen), chosen)
    }

    fn cleared_away(&mut self, position: &Position, chosen: Move) -> Result<Move, Unanswered> {
        self.in_time()?;
        let ownership = self.engine.ownership_at(position)?;
        let Some(best) = self.best_known(chosen)? else {
            return Ok(chosen);
        };
        let dead = dead_stones(position, &ownership, self.due);
        let captures = capturing_moves(position, &dead, self.due);
        if !captures.is_empty() {
            let capturing = self.ask(captures)?;
            let capture = capturing.moves.first();
            let capture = capture
                .filter(|capture| chosen == Move::Pass || decide::fills_safely(&best, capture));
            return Ok(capture.map_or(chosen, |capture| capture.mv));
        }
        let finished = self.is_finished(position, chosen, &ownership, &dead)?;
        let free = self.passes_freely(chosen, &best, finished)?;
        Ok(if free { Move::Pass } else { chosen })
    }

    /// How the board stands as the search that was made for the move sees it.
    fn outlook(
        &mut self,
        position: &Position,
        sensible: &Restriction,
    ) -> Result<Outlook, Unanswered> {
        self.in_time()?;
        let ownership = self.engine.ownership_after(position, &self.searched)?;
        let dead = dead_stones(position, &ownership, self.due);
        let open = decide::open_moves(position, &ownership, &dead, sensible);
        Ok(Outlook {
            ownership,
            dead,
            open,
        })
    }

    /// The open point to take before a pass that wins, if that puts nothing at risk, and else that pass: under area
    /// scoring each point is worth one, and as long as one is left players may count differently. The pass is no measure
    /// of what a move loses: where dead stones are not taken off, the search counts them after it.
    fn last_point_or_pass(
        &mut self,
        position: &Position,
        stone: Move,
        sensible: &Restriction,
    ) -> Result<Move, Unanswered> {
        if position.rules().scoring != Scoring::Area {
            return Ok(Move::Pass);
        }
        let open = self.outlook(position, sensible)?.open;
        let Some(best) = find(&self.searched, stone).cloned() else {
            return Ok(Move::Pass);
        };
        let last = if open.contains(&stone) {
            Some(best)
        } else {
            self.filling(open, &best)?
        };
        let last = last.filter(decide::is_won);
        Ok(last.map_or(Move::Pass, |last| last.mv))
    }

    /// The best of the open points, if taking it loses nothing.
    fn filling(
        &mut self,
        open: Vec<Move>,
        best: &MoveReport,
    ) -> Result<Option<MoveReport>, Unanswered> {
        if open.is_empty() {
            return Ok(None);
        }
        let first = self.ask(open)?.moves.into_iter().next();
        Ok(first.filter(|filling| decide::fills_safely(best, filling)))
    }

    /// Whether a pass is as good as `chosen`, of which `best` is known.
    fn passes_freely(
        &mut self,
        chosen: Move,
        best: &MoveReport,
        finished: bool,
    ) -> Result<bool, Unanswered> {
        if chosen == Move::Pass {
            return Ok(true);
        }
        let passing = self.ask(vec![Move::Pass])?;
        let pass = find(&passing, Move::Pass);
        Ok(pass.is_some_and(|pass| {
            decide::costs_nothing(best, pass) || finished && decide::loses_no_stones(best, pass)
        }))
    }

    /// The move that decides a group's life, as reading proves it, if that loses nothing big elsewhere.
    fn vital(
        &mut self,
        position: &Position,
        ownership: &Ownership,
        best: &MoveReport,
    ) -> Result<Option<Move>, Unanswered> {
        self.in_time()?;
        let share = (self.effort.usual_time()).map(|time| Instant::now() + time.mul_f64(SHARE));
        let until = [share, self.due].into_iter().flatten().min();
        let Some(vital) = critical_move(position, ownership, until) else {
            return Ok(None);
        };
        let asked = self.ask(vec![vital])?;
        let is_sound = |report: &&MoveReport| decide::loses_no_stones(best, report);
        Ok(find(&asked, vital).filter(is_sound).map(|_| vital))
    }

    /// Whether nothing is left to play for: the board is finished, `chosen` is somebody's point, and what is counted
    /// after a pass is no less, whatever is in doubt then.
    fn is_finished(
        &mut self,
        position: &Position,
        chosen: Move,
        ownership: &Ownership,
        dead: &PointSet,
    ) -> Result<bool, Unanswered> {
        let counted = count(position, dead);
        let gains_nothing = chosen.point().is_none_or(|point| {
            Color::BOTH
                .iter()
                .any(|&color| counted.owned[color].contains(point))
        });
        if !gains_nothing || !decide::is_finished(position, ownership, &counted) {
            return Ok(false);
        }
        let lead = |counted: &Count| position.to_move().from_black(counted.score.points());
        Ok(lead(&self.worst_count_after_pass(position)?) >= lead(&counted))
    }

    /// What is known of the move searched most, which is `chosen` unless the level has drawn another. A level that has
    /// hardly looked at it asks now, so that it too knows when a game is over.
    fn best_known(&mut self, chosen: Move) -> Result<Option<MoveReport>, Unanswered> {
        if self.engine.settings.level.is_full() {
            return Ok(find(&self.searched, chosen).cloned());
        }
        let Some(best) = self.searched.moves.first() else {
            return Ok(None);
        };
        if u64::from(best.visits) >= FEWEST_VISITS {
            return Ok(Some(best.clone()));
        }
        let best = best.mv;
        let asked = self.ask(vec![best])?;
        Ok(find(&asked, best).cloned())
    }

    /// Searches a little further, following only these moves at the root.
    fn ask(&mut self, moves: Vec<Move>) -> Result<Report, Unanswered> {
        let left = self.in_time()?;
        let visits = u64::from(self.searched.visits);
        let extra = ((visits as f64 * SHARE) as u64).max(FEWEST_VISITS);
        let share = (self.effort.usual_time()).map(|time| time.mul_f64(SHARE));
        let search = &mut self.engine.search;
        let limits = Limits {
            visits: Some(u64::from(search.tree().root().visits()) + extra),
            time: [share, left].into_iter().flatten().min(),
            ..Limits::default()
        };
        let restriction = Restriction::only(moves);
        let mut report = search.run(limits, restriction.clone())?;
        // Whoever searches here again wants no numbers of moves that had to be followed.
        self.engine.restriction = restriction;
        // Of a move that there was no time for, nothing is known.
        report.moves.retain(|report| report.visits > 0);
        Ok(report)
    }

    fn worst_count_after_pass(&mut self, position: &Position) -> Result<Count, Unanswered> {
        self.in_time()?;
        Ok(self.engine.worst_count_after_pass(position, self.due)?)
    }

    /// The time left for another question, if it is limited: more than the last one took, and than one takes at least.
    fn in_time(&mut self) -> Result<Option<Duration>, Unanswered> {
        let now = Instant::now();
        let last = self.asked.replace(now).map(|asked| now - asked);
        let left = self.due.map(|due| due.saturating_duration_since(now));
        match left {
            Some(left) if left <= last.unwrap_or_default().max(self.least) => Err(Unanswered::Late),
            left => Ok(left),
        }
    }
}

/// The answer, or what is done where there was no time for one.
fn or_in_haste(answer: Result<Move, Unanswered>, otherwise: Move) -> Result<Move, EvalError> {
    match answer {
        Ok(mv) => Ok(mv),
        Err(Unanswered::Late) => Ok(otherwise),
        Err(Unanswered::Failed(error)) => Err(error),
    }
}

fn find(report: &Report, mv: Move) -> Option<&MoveReport> {
    report.moves.iter().find(|report| report.mv == mv)
}
