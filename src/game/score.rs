//! Counting finished games, given the dead stones.
//!
//! Dead stones are removed first. Then an empty region adjacent to only one colour belongs to that colour; all other
//! empty points are neutral. Area scoring counts the remaining stones and the regions. Territory scoring counts the
//! regions, the prisoners and the dead stones. The final score also includes komi, handicap bonus and button.
//!
//! **Connections.** Under territory scoring, a chain may have to be connected once neutral points are
//! [filled](super::dame): if its last liberty is a point of its owner's regions, and a stone there gives it another
//! liberty, that point does not count, because the opponent could capture the chain there.
//!
//! **Seki.** A *group* is a maximal connected set of stones and regions of the same colour. Before the test for seki,
//! neutral points are [filled](super::dame). If both sides can fill a point, the side that owns the group fills it,
//! because the stone could connect the group. The result is therefore the same whether or not the players have already
//! filled the neutral points. A group is in seki if, after this filling, it touches a neutral point and none of its
//! chains is independently alive.
//!
//! A chain is *independently alive* if it has two eyes. This is [Benson's condition](super::benson), relaxed because
//! both players have stopped playing. A region of at least three points, except the two-by-two square, counts as two
//! eyes for every adjacent chain, because the region's owner can still divide it. Any other region counts as one eye
//! for each chain that is adjacent to all points of the region. A region adjacent to a chain that is not alive does not
//! count.
//!
//! Under [`Tax::Seki`] and [`Tax::All`], regions of groups in seki do not count. Under [`Tax::All`], every other group
//! additionally loses two points of its regions, or all of them if there are fewer. The definition of seki is the same
//! for area and territory scoring.

use std::fmt;

use super::board::Board;
use super::color::{ByColor, Color};
use super::dame;
use super::point::BoardSize;
use super::pointset::PointSet;
use super::position::Position;
use super::rules::{Scoring, Tax};

/// Minimum number of points of a region that can be divided into two eyes. The two-by-two square has four points but
/// cannot be divided.
const MIN_TWO_EYE_SIZE: usize = 3;

/// Score difference in half points, positive if Black is ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Score {
    half_points: i32,
}

impl Score {
    /// Creates a score from Black's lead in half points.
    pub const fn from_half_points(half_points: i32) -> Self {
        Self { half_points }
    }

    /// Returns Black's lead in half points.
    pub const fn black_lead_half_points(self) -> i32 {
        self.half_points
    }

    /// Returns Black's lead in points.
    pub fn black_lead_points(self) -> f32 {
        self.half_points as f32 / 2.0
    }

    /// Returns the colour that is ahead, or `None` for a draw.
    pub const fn winner(self) -> Option<Color> {
        match self.half_points {
            0 => None,
            1.. => Some(Color::Black),
            _ => Some(Color::White),
        }
    }
}

/// Formats the score as in game results: `B+3.5`, `W+12`, or `0` for a draw.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner() {
            None => f.write_str("0"),
            Some(color) => {
                let margin = f64::from(self.half_points.abs()) / 2.0;
                write!(f, "{}+{margin}", color.letter())
            }
        }
    }
}

/// Result of counting a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountResult {
    /// Points owned by each colour: living stones and counted regions. Neutral points, and regions that do not count
    /// because of seki, have no owner. The point under a dead stone can belong to the opponent of that stone.
    pub owned: ByColor<PointSet>,
    /// Points counted for each colour after tax, without komi, handicap bonus and button.
    pub points: ByColor<i32>,
    /// Final score, including komi, handicap bonus and button.
    pub score: Score,
}

/// Counts a position under its rules after removing the stones in `dead`. Empty points in `dead` are ignored.
pub fn count(position: &Position, dead: &PointSet) -> CountResult {
    count_completed(position, dead, &ByColor::default())
}

/// Counts a position like [`count`] as if the two sides had also played the stones in `completion`, which must be empty
/// or dead. Under territory scoring, both sides are assumed to play equally many such stones.
pub fn count_completed(
    position: &Position,
    dead: &PointSet,
    completion: &ByColor<PointSet>,
) -> CountResult {
    let (board, rules) = (position.board(), position.rules());
    let living = LivingBoard::new(board, dead, completion);
    let mut territory = living.regions;
    let mut points = ByColor::default();
    for color in Color::BOTH {
        let mut tax = 0;
        if rules.scoring == Scoring::Territory {
            territory[color] -= living.points_to_connect(board.size(), color);
        }
        if rules.tax != Tax::None {
            let seki = living.seki_group_points(board.size(), color);
            territory[color] -= seki;
            if rules.tax == Tax::All {
                let groups = living.groups(color);
                let taxed = groups.filter(|group| !group.intersects(&seki));
                let regions = taxed.map(|group| group & living.regions[color]);
                tax = regions.map(|region| region.len().min(2) as i32).sum();
            }
        }
        let base = match rules.scoring {
            Scoring::Area => living.stones[color].len() as i32,
            Scoring::Territory => {
                let other = color.opposite();
                let dead_stones = (*board.stones(other) & *dead).len() as i32;
                dead_stones + position.lost_stones(other) as i32
            }
        };
        points[color] = base + territory[color].len() as i32 - tax;
    }
    let lead = points[Color::Black] - points[Color::White];
    let owned = |color| match rules.scoring {
        Scoring::Area => living.stones[color] | territory[color],
        Scoring::Territory => (living.stones[color] - completion[color]) | territory[color],
    };
    CountResult {
        owned: ByColor::from_fn(owned),
        points,
        score: Score::from_half_points(2 * lead - position.white_bonus_half_points()),
    }
}

/// Returns the living stones in seki, as defined in the module documentation, regardless of the tax rule. Excludes
/// groups adjacent to [contested](dame::livable_regions) neutral points. `completion` is explained at
/// [`count_completed`].
pub fn stones_in_seki(board: &Board, dead: &PointSet, completion: &ByColor<PointSet>) -> PointSet {
    let living = LivingBoard::new(board, dead, completion);
    let contested = dame::livable_regions(board.all_points(), &living.stones, living.neutral)
        .grown(board.all_points());
    let in_seki = |color| {
        let seki = living.seki_group_points(board.size(), color);
        (seki - contested.flood_through(&seki)) & (living.stones[color] - completion[color])
    };
    let [black, white] = Color::BOTH.map(in_seki);
    black | white
}

/// A board without its dead stones.
struct LivingBoard {
    area: PointSet,
    stones: ByColor<PointSet>,
    /// Points of the empty regions that are adjacent to only one colour, by that colour.
    regions: ByColor<PointSet>,
    neutral: PointSet,
}

impl LivingBoard {
    fn new(board: &Board, dead: &PointSet, completion: &ByColor<PointSet>) -> Self {
        let stones = ByColor::from_fn(|color| (*board.stones(color) - *dead) | completion[color]);
        Self::from_stones(*board.all_points(), stones)
    }

    fn from_stones(area: PointSet, stones: ByColor<PointSet>) -> Self {
        let empty = area - stones[Color::Black] - stones[Color::White];
        let reached = |color: Color| stones[color].neighbours(&area).flood_through(&empty);
        let (black, white) = (reached(Color::Black), reached(Color::White));
        Self {
            area,
            stones,
            regions: ByColor::new(black - white, white - black),
            neutral: empty - (black ^ white),
        }
    }

    fn groups(&self, color: Color) -> impl Iterator<Item = PointSet> {
        (self.stones[color] | self.regions[color]).components()
    }

    /// Returns the board after the neutral points have been filled, by `preferred_filler` where both sides can.
    fn filled(&self, size: BoardSize, preferred_filler: Color) -> Self {
        let stones = dame::fill_dame(size, &self.stones, self.neutral, preferred_filler);
        Self::from_stones(self.area, stones)
    }

    /// Returns the points in the regions of `color` at which chains of `color` must be connected after filling.
    fn points_to_connect(&self, size: BoardSize, color: Color) -> PointSet {
        let filled = self.filled(size, color);
        let mut points = PointSet::EMPTY;
        let [black, white] = Color::BOTH.map(|color| filled.stones[color]);
        let Ok(mut board) = Board::from_stones(size, black, white) else {
            return points;
        };
        loop {
            let connection = board.chains().find_map(|chain| {
                let last_liberty = chain.liberties.only().filter(|_| chain.color == color)?;
                let is_own = self.regions[color].contains(last_liberty);
                let is_safe = board.liberties_after(color, last_liberty).len() > 1;
                (is_own && is_safe).then_some(last_liberty)
            });
            let Some(point) = connection else {
                return points;
            };
            points.insert(point);
            board.place(color, point);
        }
    }

    /// Returns the union of the groups of `color` in seki. These groups touch a neutral point after filling and have no
    /// independently alive chain.
    fn seki_group_points(&self, size: BoardSize, color: Color) -> PointSet {
        let filled = self.filled(size, color);
        let friendly = filled.stones[color] | filled.regions[color];
        let is_alive = |group: &PointSet| {
            let connected = group.flood_through(&friendly);
            let touches_neutral = connected.neighbours(&self.area).intersects(&filled.neutral);
            !touches_neutral || filled.is_independently_alive(color, &connected)
        };
        let groups = self.groups(color).filter(|group| !is_alive(group));
        groups.fold(PointSet::EMPTY, |all, group| all | group)
    }

    /// Returns true if at least one chain of a group of `color` is independently alive.
    fn is_independently_alive(&self, color: Color, group: &PointSet) -> bool {
        let mut chains: Vec<PointSet> = (*group & self.stones[color]).components().collect();
        let mut regions: Vec<PointSet> = (*group & self.regions[color]).components().collect();
        loop {
            let (alive, dead): (Vec<_>, Vec<_>) = chains
                .into_iter()
                .partition(|chain| self.eye_count(chain, &regions) >= 2);
            if dead.is_empty() || alive.is_empty() {
                return !alive.is_empty();
            }
            chains = alive;
            regions.retain(|region| {
                let border = region.neighbours(&self.area);
                !dead.iter().any(|chain| border.intersects(chain))
            });
        }
    }

    fn eye_count(&self, chain: &PointSet, regions: &[PointSet]) -> usize {
        let adjacent = chain.neighbours(&self.area);
        let eyes_in = |region: &PointSet| {
            if counts_as_two_eyes(region) && region.intersects(&adjacent) {
                2
            } else {
                usize::from(region.is_subset(&adjacent))
            }
        };
        regions.iter().map(eyes_in).sum()
    }
}

fn counts_as_two_eyes(region: &PointSet) -> bool {
    let is_square = || {
        // In the two-by-two square every point has exactly two neighbours within the region.
        region.len() == 4
            && region
                .iter()
                .all(|point| PointSet::single(point).neighbours(region).len() == 2)
    };
    region.len() >= MIN_TWO_EYE_SIZE && !is_square()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::diagram;
    use crate::game::point::{Move, Point};
    use crate::game::rules::{Komi, Rules};

    const DIVIDED_BOARD: &str = "
        . X O . .
        . X O X .
        . X O . .
        . X O . .
        . X O . .";

    fn position(diagram_text: &str, scoring: Scoring, tax: Tax) -> Position {
        let rules = Rules {
            scoring,
            tax,
            komi: Komi::from_half_points(0),
            ..Rules::default()
        };
        Position::from_board(
            diagram::parse_board(diagram_text).unwrap(),
            Color::Black,
            rules,
        )
    }

    fn points(diagram_text: &str, scoring: Scoring, tax: Tax) -> (i32, i32) {
        let points = count(&position(diagram_text, scoring, tax), &PointSet::EMPTY).points;
        (points[Color::Black], points[Color::White])
    }

    #[test]
    fn scores_format_as_sgf_results() {
        let text = |half_points| Score::from_half_points(half_points).to_string();
        assert_eq!(text(7), "B+3.5");
        assert_eq!(text(-24), "W+12");
        assert_eq!(text(-1), "W+0.5");
        assert_eq!(text(0), "0");
    }

    #[test]
    fn dead_stones_score_by_rule_set() {
        let dead = PointSet::single(Point::at(3, 1));
        for (scoring, with_stone, without_stone) in [
            // If the stone is alive, the ten points around it are neutral.
            (Scoring::Area, (11, 5), (10, 15)),
            (Scoring::Territory, (5, 0), (5, 11)),
        ] {
            assert_eq!(points(DIVIDED_BOARD, scoring, Tax::None), with_stone);
            let result = count(&position(DIVIDED_BOARD, scoring, Tax::None), &dead);
            assert_eq!(
                result.points,
                ByColor::new(without_stone.0, without_stone.1)
            );
            assert_eq!(
                result.score.black_lead_half_points(),
                2 * (without_stone.0 - without_stone.1)
            );
            assert!(result.owned[Color::White].contains(Point::at(3, 1)));
        }
    }

    #[test]
    fn territory_counts_prisoners_and_komi() {
        let mut position = position("X O .\n. . .\n. . .", Scoring::Territory, Tax::None);
        position.set_rules(position.rules().with_komi(Komi::from_half_points(15)));
        let below = Move::Play(Point::at(0, 1));
        position.play(Color::White, below).unwrap();
        let result = count(&position, &PointSet::EMPTY);
        assert_eq!(result.points, ByColor::new(0, 8));
        assert_eq!(result.score.to_string(), "W+15.5");
    }

    #[test]
    fn button_scores_half_a_point() {
        let mut position = position(DIVIDED_BOARD, Scoring::Area, Tax::None);
        position.set_rules(Rules {
            button: true,
            ..*position.rules()
        });
        position.play(Color::Black, Move::Pass).unwrap();
        let dead = PointSet::single(Point::at(3, 1));
        assert_eq!(count(&position, &dead).score.to_string(), "W+4.5");
    }

    #[test]
    fn shared_liberties_with_one_eye_are_seki() {
        let seki = "
            . X . O .
            X X . O O
            X X . O O";
        for (tax, area, territory) in [
            (Tax::None, (6, 6), (1, 1)),
            (Tax::Seki, (5, 5), (0, 0)),
            (Tax::All, (5, 5), (0, 0)),
        ] {
            assert_eq!(points(seki, Scoring::Area, tax), area);
            assert_eq!(points(seki, Scoring::Territory, tax), territory);
        }
        let result = count(&position(seki, Scoring::Area, Tax::Seki), &PointSet::EMPTY);
        assert_eq!(result.owned[Color::Black].len(), 5);
    }

    #[test]
    fn two_eyes_are_alive() {
        let life = "
            . X . X . O O . O .
            X X X X . O O O O O";
        assert_eq!(points(life, Scoring::Territory, Tax::Seki), (2, 2));
        assert_eq!(points(life, Scoring::Territory, Tax::All), (0, 0));
        assert_eq!(points(life, Scoring::Area, Tax::All), (6, 8));
    }

    #[test]
    fn false_eyes_do_not_count() {
        let false_eye = "
            . X . X . O .
            X X X O O O O";
        assert_eq!(points(false_eye, Scoring::Territory, Tax::None), (2, 1));
        assert_eq!(points(false_eye, Scoring::Territory, Tax::Seki), (0, 0));
    }

    /// Returns, for Black and for White, whether every group of that colour is independently alive.
    fn all_alive(diagram_text: &str) -> [bool; 2] {
        let board = diagram::parse_board(diagram_text).unwrap();
        let living = LivingBoard::new(&board, &PointSet::EMPTY, &ByColor::default());
        Color::BOTH.map(|color| {
            living
                .groups(color)
                .all(|group| living.is_independently_alive(color, &group))
        })
    }

    #[test]
    fn three_in_row_lives_square_dies() {
        let three = "
            . . . X . O . .
            X X X X . O O O";
        assert_eq!(all_alive(three), [true, false]);
        let square = "
            . . X . O .
            . . X . O .
            X X X . O .";
        assert_eq!(all_alive(square), [false, true]);
    }

    #[test]
    fn fillable_dame_is_no_seki() {
        // Each side has one eye, but enough liberties to fill the points between the groups.
        let unfilled = "
            . . X . O .
            . . X . O .
            X X X . O .";
        assert_eq!(points(unfilled, Scoring::Territory, Tax::Seki), (4, 3));
    }

    #[test]
    fn false_eye_is_no_territory() {
        // White must connect at C4, where Black could capture two stones.
        let false_eye = "
            . O X X X
            . O O X X
            . O . O X
            . O O X X
            . O X X .
            . O X . X";
        assert_eq!(points(false_eye, Scoring::Territory, Tax::Seki).1, 6);
        assert_eq!(points(false_eye, Scoring::Area, Tax::None).1, 16);
        // The same if E4 is neutral: White cannot fill it, and Black can.
        let open = false_eye.replace(". O . O X", ". O . O .");
        assert_eq!(points(&open, Scoring::Territory, Tax::Seki).1, 6);
        // Without Black's stones around it, the chain is safe.
        let safe = false_eye.replace(". O O X X", ". O O . X");
        assert_eq!(points(&safe, Scoring::Territory, Tax::Seki).1, 7);
    }

    #[test]
    fn completion_closes_borders() {
        let open = "
            . X . O .
            . X . O .
            . . . . .";
        let completion = ByColor::new(
            PointSet::single(Point::at(1, 2)),
            PointSet::single(Point::at(3, 2)),
        );
        for (scoring, expected) in [(Scoring::Area, (6, 6)), (Scoring::Territory, (3, 3))] {
            let position = position(open, scoring, Tax::Seki);
            let result = count_completed(&position, &PointSet::EMPTY, &completion);
            assert_eq!(
                (result.points[Color::Black], result.points[Color::White]),
                expected
            );
        }
    }

    #[test]
    fn group_tax_is_two_points() {
        assert_eq!(points(DIVIDED_BOARD, Scoring::Area, Tax::All), (9, 5));
        let single_group = "
            X . X
            . X X
            X X X";
        assert_eq!(points(single_group, Scoring::Area, Tax::All), (7, 0));
    }
}
