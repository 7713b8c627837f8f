//! Assignment of colours to the user and the program.

use crate::engine::level::Level;
use crate::game::color::Color;

/// Prefix of the program's name in game files. The number of its level follows.
const ENGINE_NAME_PREFIX: &str = "Honinbo level ";
/// Name of the user in game files.
const HUMAN_NAME: &str = "Player";

/// Colours that the user plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HumanColors {
    is_human: [bool; 2],
}

impl HumanColors {
    /// Parses the colours that the user plays: `black`, `white`, `both` (the program moves only on request) or `none`
    /// (the program plays against itself). Returns `None` if the text is none of these.
    pub fn parse(text: &str) -> Option<Self> {
        match (text.to_ascii_lowercase().as_str(), Color::parse(text)) {
            ("both", _) => Some(Self::new([true, true])),
            ("none", _) => Some(Self::new([false, false])),
            (_, Some(color)) => Some(Self::single_human(color)),
            _ => None,
        }
    }

    /// Assigns `color` to the user and the opposite colour to the program.
    pub fn single_human(color: Color) -> Self {
        Self::new([color == Color::Black, color == Color::White])
    }

    const fn new(is_human: [bool; 2]) -> Self {
        Self { is_human }
    }

    /// Returns true if the user plays `color`.
    pub const fn is_human(self, color: Color) -> bool {
        self.is_human[color as usize]
    }

    /// Returns a colour that the user plays: `preferred` if possible, otherwise the opposite colour. Returns `None` if
    /// the user plays neither colour.
    pub fn human_color_preferring(self, preferred: Color) -> Option<Color> {
        [preferred, preferred.opposite()]
            .into_iter()
            .find(|&color| self.is_human(color))
    }

    /// Returns the name of the player of `color` for game files.
    pub fn player_name(self, color: Color, level: &Level) -> String {
        if self.is_human(color) {
            HUMAN_NAME.to_owned()
        } else {
            format!("{ENGINE_NAME_PREFIX}{}", level.number)
        }
    }

    /// Parses the names of Black and White in a game file. Returns the players, and the program's level if it plays a
    /// colour. Returns `None` unless this program has written both names.
    pub fn from_player_names(names: [&str; 2]) -> Option<(Self, Option<&'static Level>)> {
        let mut human_colors = Self::new([true, true]);
        let mut level = None;
        for (is_human, name) in human_colors.is_human.iter_mut().zip(names) {
            if let Some(number) = name.strip_prefix(ENGINE_NAME_PREFIX) {
                level = Some(Level::by_number(number.parse().ok()?)?);
                *is_human = false;
            } else if name != HUMAN_NAME {
                return None;
            }
        }
        Some((human_colors, level))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn player_names_round_trip() {
        let level = Level::by_number(7).unwrap();
        for (word, expected_level) in [
            ("black", Some(level)),
            ("W", Some(level)),
            ("none", Some(level)),
            ("Both", None),
        ] {
            let human_colors = HumanColors::parse(word).unwrap();
            let names = Color::BOTH.map(|color| human_colors.player_name(color, level));
            assert_eq!(
                HumanColors::from_player_names([&names[0], &names[1]]),
                Some((human_colors, expected_level))
            );
        }
        for names in [
            ["Lee", "Cho"],
            ["Player", "Honinbo level 11"],
            ["Honinbo", "Player"],
        ] {
            assert_eq!(HumanColors::from_player_names(names), None);
        }
        assert_eq!(HumanColors::parse("red"), None);
    }
}
