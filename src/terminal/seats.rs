//! Who plays which colour.

use crate::engine::level::Level;
use crate::game::color::Color;

/// What the program is called in game files, before the number of its level.
const PROGRAM: &str = "Honinbo level ";
/// What everybody else is called there.
const PERSON: &str = "Player";

/// The colours that are played by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seats {
    by_hand: [bool; 2],
}

impl Seats {
    /// By the words `black`, `white`, `both` (the program plays when it is asked) and `none` (it plays against itself).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match (text.to_ascii_lowercase().as_str(), Color::parse(text)) {
            ("both", _) => Some(Self::of([true, true])),
            ("none", _) => Some(Self::of([false, false])),
            (_, Some(color)) => Some(Self::only(color)),
            _ => None,
        }
    }

    /// One person, who plays that colour.
    #[must_use]
    pub fn only(color: Color) -> Self {
        Self::of([color == Color::Black, color == Color::White])
    }

    const fn of(by_hand: [bool; 2]) -> Self {
        Self { by_hand }
    }

    /// Whether that colour is played by hand.
    #[must_use]
    pub const fn by_hand(self, color: Color) -> bool {
        self.by_hand[color as usize]
    }

    /// A colour played by hand: this one if it is, else the other if that is.
    #[must_use]
    pub fn hand_near(self, color: Color) -> Option<Color> {
        [color, color.opposite()]
            .into_iter()
            .find(|&color| self.by_hand(color))
    }

    /// The name that a game file gives the player of that colour.
    #[must_use]
    pub fn name(self, color: Color, level: &Level) -> String {
        if self.by_hand(color) {
            PERSON.to_owned()
        } else {
            format!("{PROGRAM}{}", level.number)
        }
    }

    /// The seats and the level, if the program has one, by the names of Black and White in a game file of this program;
    /// `None` for other names.
    #[must_use]
    pub fn named(names: [&str; 2]) -> Option<(Self, Option<&'static Level>)> {
        let mut seats = Self::of([true, true]);
        let mut level = None;
        for (by_hand, name) in seats.by_hand.iter_mut().zip(names) {
            if let Some(number) = name.strip_prefix(PROGRAM) {
                level = Some(Level::numbered(number.parse().ok()?)?);
                *by_hand = false;
            } else if name != PERSON {
                return None;
            }
        }
        Some((seats, level))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_files_tell_who_played() {
        let level = Level::numbered(7).unwrap();
        for (word, known) in [
            ("black", Some(level)),
            ("W", Some(level)),
            ("none", Some(level)),
            ("Both", None),
        ] {
            let seats = Seats::parse(word).unwrap();
            let names = Color::BOTH.map(|color| seats.name(color, level));
            assert_eq!(Seats::named([&names[0], &names[1]]), Some((seats, known)));
        }
        for names in [
            ["Lee", "Cho"],
            ["Player", "Honinbo level 11"],
            ["Honinbo", "Player"],
        ] {
            assert_eq!(Seats::named(names), None);
        }
        assert_eq!(Seats::parse("red"), None);
    }
}
