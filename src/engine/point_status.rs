//! What becomes of every point when a game is counted, as clients name it.

use crate::game::color::{ByColor, Color};
use crate::game::point::Point;
use crate::game::pointset::PointSet;
use crate::game::position::Position;
use crate::game::score::{count, stones_in_seki};

/// What becomes of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointStatus {
    /// A stone that stays and is in no seki.
    Alive,
    /// A stone that comes off.
    Dead,
    /// A stone that stays in a seki.
    Seki,
    /// An empty point that counts for a colour.
    Territory(Color),
    /// An empty point that counts for nobody.
    Dame,
}

impl PointStatus {
    /// All there are.
    pub const ALL: [Self; 6] = [
        Self::Alive,
        Self::Dead,
        Self::Seki,
        Self::Territory(Color::White),
        Self::Territory(Color::Black),
        Self::Dame,
    ];

    /// Its name, as GNU Go gave it and clients know it.
    #[must_use]
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

/// The fates of all points; each has exactly one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FinalStatus {
    /// Stones that stay and are in no seki.
    pub alive: PointSet,
    /// Stones that come off.
    pub dead: PointSet,
    /// Stones that stay in a seki.
    pub seki: PointSet,
    /// Empty points that count for a colour.
    pub territory: ByColor<PointSet>,
    /// Empty points that count for nobody.
    pub dame: PointSet,
}

impl FinalStatus {
    /// What becomes of the points when the stones in `dead` are dead.
    #[must_use]
    pub fn new(position: &Position, dead: PointSet) -> Self {
        let board = position.board();
        let owned = count(position, &dead).owned;
        let territory = ByColor::from_fn(|color| owned[color] & board.empty());
        let seki = stones_in_seki(board, &dead);
        Self {
            alive: board.occupied() - dead - seki,
            dead,
            seki,
            territory,
            dame: board.empty() - territory[Color::Black] - territory[Color::White],
        }
    }

    /// The points of that fate.
    #[must_use]
    pub fn points(&self, status: PointStatus) -> PointSet {
        match status {
            PointStatus::Alive => self.alive,
            PointStatus::Dead => self.dead,
            PointStatus::Seki => self.seki,
            PointStatus::Territory(color) => self.territory[color],
            PointStatus::Dame => self.dame,
        }
    }

    /// The fate of a point of the board.
    #[must_use]
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
        let board = diagram::parse(seki).unwrap();
        let size = board.size();
        let dead = size.parse_vertex("L2").unwrap();
        let rules = Rules::named("japanese").unwrap();
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
