//! The end of a game: whether to pass, and what is still worth a move or must be cleared away.

use super::Engine;
use super::dead::dead_stones;
use super::decide;
use super::status::Ownership;
use crate::eval::EvalError;
use crate::game::color::Color;
use crate::game::point::Move;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Scoring;
use crate::game::score::{Count, count};
use crate::search::limits::Limits;
use crate::search::report::{MoveReport, Report};
use crate::search::root::Restriction;
use crate::tactics::reading::{self, Reader};

/// Visits and time of one question to the search, as a share of those of a move. At most two are asked.
pub(super) const SHARE: f64 = 0.1;
/// But at least so many visits.
const FEWEST_VISITS: u64 = 16;
/// Fewer open points than the board has, divided by this, are few.
const FEW_OPEN: usize = 12;

impl Engine {
    /// What to do where the search of `position` would play `chosen`: that, unless the game is over or as good as over.
    /// Then it is a pass, if that wins or nothing is left to gain; under area scoring the open points come first.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub(super) fn settle(
        &mut self,
        position: &Position,
        chosen: Move,
        sensible: &Restriction,
    ) -> Result<Move, EvalError> {
        let searched = self.search.report();
        let stone = match chosen {
            Move::Play(_) => chosen,
            Move::Pass => (searched.moves.iter().map(|report| report.mv))
                .find(|&mv| mv != Move::Pass)
                .unwrap_or(chosen),
        };
        if !decide::may_pass(position) {
            return Ok(stone);
        }
        if position.after_pass()
            && decide::wins_by_passing(position, &self.worst_count_after_pass(position)?)
        {
            return Ok(Move::Pass);
        }
        let ownership = self.ownership_after(&searched)?;
        if decide::must_capture(position, &ownership) {
            return Ok(stone);
        }
        let finished = position.rules().scoring == Scoring::Territory
            && self.is_finished(
                position,
                chosen,
                &ownership,
                &dead_stones(position, &ownership),
            )?;
        let open = decide::open_moves(position, &ownership, sensible);
        let Some(best) = self.best_known(&searched, chosen)? else {
            return Ok(chosen);
        };
        let best = &best;
        if open.contains(&chosen) && !finished {
            return Ok(chosen);
        }
        let free = self.passes_freely(&searched, chosen, best, finished)?;
        // With few points open a pass may cost just what is left to fill.
        let nearly_over = free || open.len() <= position.size().area() / FEW_OPEN;
        if nearly_over && position.rules().scoring == Scoring::Area && !open.is_empty() {
            let filling = self.ask(&searched, open)?;
            if let Some(filling) = filling.moves.first()
                && decide::fills_safely(best, filling)
            {
                return Ok(filling.mv);
            }
        }
        if !free {
            return Ok(chosen);
        }
        // Neither is it over while stones are in doubt, and a move that loses nothing may make plain what they are.
        let counted = self.worst_count_after_pass(position)?;
        let plays_on = decide::is_doubtful(position, &counted, &searched.values)
            && find(&searched, stone).is_some_and(|stone| decide::fills_safely(best, stone));
        Ok(if plays_on { stone } else { Move::Pass })
    }

    /// What to do after the players could not agree what is dead, where the search would play `chosen`: a capture of what is
    /// dead, unless something else is more urgent; then a pass, unless that costs something.
    ///
    /// # Errors
    /// When an evaluation fails.
    pub(super) fn clear_away(
        &mut self,
        position: &Position,
        chosen: Move,
    ) -> Result<Move, EvalError> {
        let searched = self.search.report();
        let ownership = self.ownership_at(position)?;
        let Some(best) = self.best_known(&searched, chosen)? else {
            return Ok(chosen);
        };
        let dead = dead_stones(position, &ownership);
        let captures = capturing_moves(position, &dead);
        if !captures.is_empty() {
            let capturing = self.ask(&searched, captures)?;
            let capture = capturing.moves.first();
            let capture = capture
                .filter(|capture| chosen == Move::Pass || decide::fills_safely(&best, capture));
            return Ok(capture.map_or(chosen, |capture| capture.mv));
        }
        let finished = self.is_finished(position, chosen, &ownership, &dead)?;
        let free = self.passes_freely(&searched, chosen, &best, finished)?;
        Ok(if free { Move::Pass } else { chosen })
    }

    /// Whether a pass is as good as `chosen`, of which `best` is known.
    fn passes_freely(
        &mut self,
        searched: &Report,
        chosen: Move,
        best: &MoveReport,
        finished: bool,
    ) -> Result<bool, EvalError> {
        if chosen == Move::Pass {
            return Ok(true);
        }
        let passing = self.ask(searched, vec![Move::Pass])?;
        let pass = find(&passing, Move::Pass);
        Ok(pass.is_some_and(|pass| {
            decide::costs_nothing(best, pass) || finished && decide::loses_no_stones(best, pass)
        }))
    }

    /// Whether nothing is left to play for: the board is finished, `chosen` is somebody's point, and what is counted after
    /// a pass is no less, whatever is in doubt then.
    fn is_finished(
        &self,
        position: &Position,
        chosen: Move,
        ownership: &Ownership,
        dead: &PointSet,
    ) -> Result<bool, EvalError> {
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
    fn best_known(
        &mut self,
        searched: &Report,
        chosen: Move,
    ) -> Result<Option<MoveReport>, EvalError> {
        if self.settings.level.is_full() {
            return Ok(find(searched, chosen).cloned());
        }
        let Some(best) = searched.moves.first() else {
            return Ok(None);
        };
        if u64::from(best.visits) >= FEWEST_VISITS {
            return Ok(Some(best.clone()));
        }
        let asked = self.ask(searched, vec![best.mv])?;
        Ok(find(&asked, best.mv).cloned())
    }

    /// Searches a little further, following only these moves at the root.
    fn ask(&mut self, searched: &Report, moves: Vec<Move>) -> Result<Report, EvalError> {
        let visits = u64::from(searched.visits);
        let extra = ((visits as f64 * SHARE) as u64).max(FEWEST_VISITS);
        let effort = self.effort(searched.to_move);
        let limits = Limits {
            visits: Some(u64::from(self.search.tree().root().visits()) + extra),
            time: effort.usual_time().map(|time| time.mul_f64(SHARE)),
            ..Limits::default()
        };
        self.search.run(limits, Restriction::Allow(moves))
    }
}

/// The moves that start to capture opposing stones among the dead, read out where that is possible.
fn capturing_moves(position: &Position, dead: &PointSet) -> Vec<Move> {
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
        let reading = reader.attack(
            board,
            target,
            position.ko_for(color),
            reading::Limits::default(),
        );
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

fn find(report: &Report, mv: Move) -> Option<&MoveReport> {
    report.moves.iter().find(|report| report.mv == mv)
}
