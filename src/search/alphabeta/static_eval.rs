//! Static evaluation: territory by influence, weak groups, liberties, and opening terms.
//!
//! Every empty point belongs to the colour with the nearest stones, measured through empty points. Distant points count
//! less while the board is empty, because they are not territory yet. The stones and points of a colour that are
//! connected form a group (see `groups`); groups with little room for eyes are partly counted as captured. Opening
//! terms (see `opening`) for the lines of the stones fade as the board fills. Areas that were pass-alive at the root of
//! the search are counted exactly, including the dead stones in them.
//!
//! The evaluation assumes that the side to move plays elsewhere and loses its largest chain in atari; the [quiescence
//! search](super::quiescence) finds out whether it can do better.

mod cache;
mod eyes;
mod groups;
mod opening;

use std::cmp::Reverse;

use crate::game::benson::{PassAlive, pass_alive};
use crate::game::board::Board;
use crate::game::color::{ByColor, Color};
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::rules::Scoring;
use crate::game::score::count;
use cache::EvalCache;
use eyes::EyeCounter;
use groups::{Areas, WeakGroups};
use opening::OpeningTerms;

use super::scope::Scope;
use super::table::position_key;
use super::value::UNITS_PER_POINT;

/// Penalty per stone of a chain with 0, 1, 2 or 3 liberties.
const LIBERTY_PENALTY: [i32; 4] = [16, 8, 3, 1];
/// Bonus per liberty of a chain.
const LIBERTY_BONUS: i32 = 1;
/// Number by which the value of points is divided in a local search, in which the life of groups is at stake.
const LOCAL_TERRITORY_DIVISOR: i32 = 16;
/// Reduction, on an empty board, of the weight of points at a distance of 1, 2, … from the nearest stones. The last
/// number applies to all larger distances.
const DISTANCE_REDUCTION: [i32; 5] = [4, 10, 13, 15, 16];

/// Evaluation function for the positions of a search.
pub struct StaticEval {
    /// Pass-alive areas of the root.
    settled: ByColor<PassAlive>,
    opening: OpeningTerms,
    /// The part of the board to evaluate in a local search.
    scope: Option<Scope>,
    values: EvalCache,
    eyes: EyeCounter,
}

/// Result of evaluating a position.
pub struct Assessment {
    /// Black's lead in evaluation units.
    pub lead: i32,
    /// Points on which the life of weak groups depends.
    pub vital: PointSet,
}

/// Stones on the board, without those counted as captured.
struct Stones {
    living: ByColor<PointSet>,
    captured: ByColor<PointSet>,
}

impl StaticEval {
    /// Creates the evaluation function for a search of `root`.
    pub fn new(root: &Position) -> Self {
        Self::with_scope(root, None)
    }

    /// Creates the evaluation function for a search of `root` that is confined to `scope`, if there is one. Only the
    /// groups and points of the scope are evaluated.
    pub fn with_scope(root: &Position, scope: Option<Scope>) -> Self {
        let settled = |color| pass_alive(root.board(), color, root.rules().suicide);
        Self {
            settled: ByColor::from_fn(settled),
            opening: OpeningTerms::new(root.size()),
            scope,
            values: EvalCache::default(),
            eyes: EyeCounter::default(),
        }
    }

    /// Returns the part of the board to which the search is confined, if it is local.
    pub const fn scope(&self) -> Option<&Scope> {
        self.scope.as_ref()
    }

    /// Returns the points at which moves are useless: the settled territory of either colour, except for regions in
    /// which its owner must still capture dead stones.
    pub fn useless_points(&self, root: &Position) -> PointSet {
        let mut useless = PointSet::EMPTY;
        for color in Color::BOTH {
            let opposing = root.board().stones(color.opposite());
            let is_done = |region: &PointSet| {
                root.rules().removes_dead_stones() || !region.intersects(opposing)
            };
            let regions = self.settled[color].territory.components().filter(is_done);
            useless = regions.fold(useless, |all, region| all | region);
        }
        useless
    }

    /// Returns Black's lead in 1/16 points, including komi. A finished game is counted exactly, and is a draw if it has
    /// no result. The value of a local search is the lead in its scope.
    pub fn evaluate(&self, position: &Position) -> i32 {
        if position.ended() && self.scope.is_none() {
            return if position.has_no_result() {
                0
            } else {
                final_score(position)
            };
        }
        let key = position_key(position);
        self.values
            .get_or_insert_with(key, || self.assess(position).lead)
    }

    /// Evaluates a position of an unfinished game and finds its vital points; see [`evaluate`](Self::evaluate).
    pub fn assess(&self, position: &Position) -> Assessment {
        let board = position.board();
        let settled = self.settled_areas(board);
        let extent = match &self.scope {
            Some(scope) => scope.extent(board),
            None => *board.all_points(),
        };
        let (stones, shape) = count_stones(position, &settled, &extent);
        let openness = openness(board);
        let owned = ByColor::from_fn(|color| stones.living[color] | settled[color]);
        let (controlled, influence) = influence(board.all_points(), &extent, owned, openness);
        let territory = |color| self.territory(position, &stones, &owned, color, &extent);
        let mut lead = territory(Color::Black) - territory(Color::White);
        lead += (influence[Color::Black] - influence[Color::White]) + shape;
        let areas = Areas {
            stones: &stones.living,
            controlled: &controlled,
            settled: &settled,
            extent: &extent,
            is_local: self.scope.is_some(),
        };
        let groups = WeakGroups::new(position, &areas, &self.eyes);
        let risk = groups.risk(position.to_move());
        if self.scope.is_some() {
            lead = lead / LOCAL_TERRITORY_DIVISOR - risk;
        } else {
            let bonus = position.white_bonus_half_points() * UNITS_PER_POINT / 2;
            lead += self.opening.evaluate(board, openness) - bonus - risk;
        }
        Assessment {
            lead,
            vital: groups.vital_points(board),
        }
    }

    /// Returns the value of the points that `color` owns within `extent`.
    fn territory(
        &self,
        position: &Position,
        stones: &Stones,
        owned: &ByColor<PointSet>,
        color: Color,
        extent: &PointSet,
    ) -> i32 {
        let other = color.opposite();
        let counted = match position.rules().scoring {
            Scoring::Area => (owned[color] & *extent).len(),
            Scoring::Territory => {
                let prisoners = position.lost_stones(other) as usize + stones.captured[other].len();
                prisoners + ((owned[color] - stones.living[color]) & *extent).len()
            }
        };
        counted as i32 * UNITS_PER_POINT
    }

    /// Returns the settled area of each colour, or the empty set if its pass-alive stones have been captured because
    /// their owner filled an eye.
    fn settled_areas(&self, board: &Board) -> ByColor<PointSet> {
        ByColor::from_fn(|color| {
            let settled = &self.settled[color];
            if settled.stones.is_subset(board.stones(color)) {
                settled.area()
            } else {
                PointSet::EMPTY
            }
        })
    }
}

/// Counts a finished game. If the rules remove dead stones, the stones inside the opponent's pass-alive territory are
/// dead.
fn final_score(position: &Position) -> i32 {
    let (board, rules) = (position.board(), position.rules());
    let mut dead = PointSet::EMPTY;
    if rules.removes_dead_stones() {
        for color in Color::BOTH {
            let territory = pass_alive(board, color, rules.suicide).territory;
            dead |= territory & *board.stones(color.opposite());
        }
    }
    count(position, &dead).score.black_lead_half_points() * UNITS_PER_POINT / 2
}

/// Separates living and captured stones. Also returns the bonuses and penalties of the unsettled chains for their
/// liberties, from Black's perspective. Ignores chains outside `extent`.
fn count_stones(
    position: &Position,
    settled: &ByColor<PointSet>,
    extent: &PointSet,
) -> (Stones, i32) {
    let (board, to_move) = (position.board(), position.to_move());
    let mut captured = ByColor::from_fn(|color| *board.stones(color) & settled[color.opposite()]);
    let mut shape = 0;
    let mut lost = PointSet::EMPTY;
    let mut lost_shape = 0;
    for chain in board.chains() {
        let is_ignored =
            chain.stones.intersects(&settled[chain.color]) || !chain.stones.intersects(extent);
        if is_ignored || chain.stones.intersects(&captured[chain.color]) {
            continue;
        }
        let (stones, liberties) = (chain.stones.len(), chain.liberties.len());
        let penalty = LIBERTY_PENALTY
            .get(liberties)
            .map_or(0, |penalty| penalty * stones as i32);
        let bonus = chain
            .color
            .to_perspective(LIBERTY_BONUS * liberties as i32 - penalty);
        shape += bonus;
        if liberties == 1 && chain.color == to_move && loss_order(&chain.stones) > loss_order(&lost)
        {
            (lost, lost_shape) = (chain.stones, bonus);
        }
    }
    captured[to_move] |= lost;
    let living = ByColor::from_fn(|color| *board.stones(color) - captured[color]);
    (Stones { living, captured }, shape - lost_shape)
}

/// Key that is largest for the chain in atari that counts as lost: a largest chain. The order of the chains of a board
/// depends on its history, so their points decide among chains of the same size.
fn loss_order(stones: &PointSet) -> (usize, Reverse<Option<Point>>) {
    (stones.len(), Reverse(stones.iter().next()))
}

/// Returns how empty the board is: 16 while at most a sixth of the points are occupied, and 0 once half of them are.
fn openness(board: &Board) -> i32 {
    let area = board.size().area() as i32;
    let occupied = board.occupied_points().len() as i32;
    (24 * (area - 2 * occupied) / area).clamp(0, 16)
}

/// Extends the points owned by each colour to the empty points that are nearer to them than to points of the other
/// colour. Returns all points controlled by each colour, and the sum of the weights of the added points in `extent`.
fn influence(
    area: &PointSet,
    extent: &PointSet,
    owned: ByColor<PointSet>,
    openness: i32,
) -> (ByColor<PointSet>, ByColor<i32>) {
    let mut controlled = owned;
    let mut unclaimed = *area - owned[Color::Black] - owned[Color::White];
    let mut sums = ByColor::default();
    let mut distance = 0;
    loop {
        let reachable = |color: Color| controlled[color].neighbours(area) & unclaimed;
        let (black, white) = (reachable(Color::Black), reachable(Color::White));
        if (black | white).is_empty() {
            return (controlled, sums);
        }
        let reduction = DISTANCE_REDUCTION[distance.min(DISTANCE_REDUCTION.len() - 1)];
        let weight = UNITS_PER_POINT - reduction * openness / 16;
        for (color, added) in [(Color::Black, black - white), (Color::White, white - black)] {
            controlled[color] |= added;
            sums[color] += weight * (added & *extent).len() as i32;
        }
        unclaimed -= black | white;
        distance += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;
    use crate::game::point::{BoardSize, Move};
    use crate::game::rules::{Komi, Rules};
    use crate::random::Rng;

    fn position(text: &str, to_move: Color, rules: &str) -> Position {
        let rules = Rules::parse(rules).unwrap();
        let rules = rules.with_komi(Komi::from_half_points(1));
        Position::from_board(diagram::parse_board(text).unwrap(), to_move, rules)
    }

    fn evaluate(text: &str, to_move: Color) -> i32 {
        let position = position(text, to_move, "chinese");
        StaticEval::new(&position).evaluate(&position)
    }

    fn after_move(vertex: &str) -> i32 {
        let mut position = Position::new(BoardSize::STANDARD, Rules::parse("chinese").unwrap());
        let eval = StaticEval::new(&position);
        let mv = position.size().parse_move(vertex).unwrap();
        position.play(Color::Black, mv).unwrap();
        eval.evaluate(&position)
    }

    #[test]
    fn settled_board_is_counted_exactly() {
        // Both sides have two eyes. The white stone at B1 is dead.
        let settled = "
            . X . X O . O
            X X X X O O O
            . O X X O O .";
        for rules in ["chinese", "japanese"] {
            let position = position(settled, Color::Black, rules);
            let dead = PointSet::single(position.size().parse_vertex("B1").unwrap());
            let lead = count(&position, &dead).score.black_lead_half_points();
            let expected = lead * UNITS_PER_POINT / 2;
            assert_eq!(StaticEval::new(&position).evaluate(&position), expected);
        }
    }

    #[test]
    fn value_does_not_depend_on_history() {
        let mut rng = Rng::new(4);
        for _ in 0..400 {
            let size = BoardSize::new(6, 6).unwrap();
            let mut played = Position::new(size, Rules::parse("tromp-taylor").unwrap());
            for _ in 0..rng.below(40) {
                let points: Vec<Point> = played.legal_points().iter().collect();
                if points.is_empty() {
                    break;
                }
                let mv = Move::Play(points[rng.below(points.len())]);
                played.play(played.to_move(), mv).unwrap();
            }
            let text = diagram::to_diagram(played.board());
            let board = diagram::parse_board(&text).unwrap();
            let rebuilt = Position::from_board(board, played.to_move(), *played.rules());
            let eval = StaticEval::new(&rebuilt);
            let (one, other) = (eval.assess(&played).lead, eval.assess(&rebuilt).lead);
            assert_eq!(one, other, "{text}");
        }
    }

    #[test]
    fn ended_game_is_counted() {
        let mut position = position(
            "
            . X O .
            X X O .
            . X O O",
            Color::Black,
            "chinese",
        );
        let eval = StaticEval::new(&position);
        position.play(Color::Black, Move::Pass).unwrap();
        position.play(Color::White, Move::Pass).unwrap();
        // Six points each; White has half a point of komi.
        assert_eq!(eval.evaluate(&position), -UNITS_PER_POINT / 2);
    }

    #[test]
    fn side_to_move_loses_chain_in_atari() {
        let atari = "
            . . . . . . .
            . . O O O . .
            . O X X X . .
            . . O O O . .
            . . . . . . .";
        for (to_move, lost) in [(Color::Black, 3), (Color::White, 0)] {
            let position = position(atari, to_move, "chinese");
            let (stones, _) = count_stones(
                &position,
                &ByColor::default(),
                position.board().all_points(),
            );
            assert_eq!(stones.captured[Color::Black].len(), lost);
            assert_eq!(stones.living[Color::White].len(), 7);
        }
    }

    #[test]
    fn group_without_eyes_is_weak() {
        // The white group on the left has one eye, the one on the right has plenty of room.
        let wall = "
            O X . . . . . . .
            . O X . . . . . .
            O O X . . . . . .
            X X X . . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .";
        let room = "
            . . O X . . . . .
            . . O X . . . . .
            . . O X . . . . .
            . O . X . . . . .
            . . . . . . . . .
            . . . . . . . . .
            . . . . . . . . .";
        let per_stone = |text| -evaluate(text, Color::Black) / UNITS_PER_POINT;
        assert!(per_stone(room) - per_stone(wall) > 10);
    }

    #[test]
    fn corners_and_third_line_are_best_openings() {
        let ranking = ["D4", "D10", "K10", "D2", "D1"].map(after_move);
        assert!(
            ranking.is_sorted_by(|better, worse| better > worse),
            "{ranking:?}"
        );
    }
}
