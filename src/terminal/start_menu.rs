//! Menu shown when the program is started without a game: continue the last game, or choose the board, the level, the
//! colours and the handicap of a new one.

use std::path::PathBuf;

use super::keys::Key;
use super::style::{Style, StyledLine, styled_line, truncate};
use crate::engine::level::{LEVELS, Level};
use crate::game::point::BoardSize;

/// Board sizes offered in addition to the current one.
const SIZES: [usize; 3] = [9, 13, 19];
/// Arguments of the command `color`, and their descriptions.
const COLORS: [(&str, &str); 4] = [
    ("black", "Black"),
    ("white", "White"),
    ("both", "both colours"),
    ("none", "neither: the program plays against itself"),
];
/// Largest number of handicap stones offered.
const MAX_HANDICAP: usize = 9;
const KEY_HELP: &str = "up, down: select   left, right: change   Enter: start   q: quit";

/// A setting of the new game.
#[derive(Clone, Debug)]
struct Setting {
    label: &'static str,
    /// Command lines that set the values, and their descriptions.
    values: Vec<(String, String)>,
    /// Index of the current value.
    current: usize,
}

/// Choice made by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Start a new game by executing these lines.
    NewGame(Vec<String>),
    /// Continue the game in this file.
    Continue(PathBuf),
    Quit,
}

/// State of the menu.
#[derive(Clone, Debug)]
pub struct StartMenu {
    saved_game: Option<PathBuf>,
    settings: Vec<Setting>,
    /// Index of the selected row: the saved game if there is one, then the settings, then the start of a new game.
    selected: usize,
}

impl StartMenu {
    /// Creates a menu for a new game with this size and level by default. `saved_game` is the file of the last game, if
    /// there is one.
    pub fn new(size: BoardSize, level: &Level, saved_game: Option<PathBuf>) -> Self {
        let settings = vec![
            size_setting(size),
            level_setting(level),
            Setting {
                label: "You play",
                values: COLORS
                    .map(|(name, label)| (format!("color {name}"), label.to_owned()))
                    .into(),
                current: 0,
            },
            handicap_setting(),
        ];
        let selected = match saved_game {
            Some(_) => 0,
            None => settings.len(),
        };
        Self {
            saved_game,
            settings,
            selected,
        }
    }

    /// Handles a key press, and returns the user's choice if it ends the menu.
    pub fn handle_key(&mut self, key: Key) -> Option<Choice> {
        match key {
            Key::Arrow(0, down) => self.select(down < 0),
            Key::Step(steps) => self.select(steps < 0),
            Key::Char('k') => self.select(true),
            Key::Char('j') | Key::Tab => self.select(false),
            Key::Arrow(right, _) => self.change(right < 0),
            Key::Char('h') => self.change(true),
            Key::Char('l') => self.change(false),
            Key::Enter | Key::Char(' ') => return Some(self.choice()),
            Key::Quit | Key::Escape | Key::Char('q') => return Some(Choice::Quit),
            _ => {}
        }
        None
    }

    /// Returns the number of rows before the settings.
    fn first_setting(&self) -> usize {
        usize::from(self.saved_game.is_some())
    }

    fn select(&mut self, is_up: bool) {
        let rows = self.first_setting() + self.settings.len() + 1;
        let step = if is_up { rows - 1 } else { 1 };
        self.selected = (self.selected + step) % rows;
    }

    fn change(&mut self, is_back: bool) {
        let index = self.selected.checked_sub(self.first_setting());
        if let Some(setting) = index.and_then(|index| self.settings.get_mut(index)) {
            let last = setting.values.len() - 1;
            setting.current = match is_back {
                true => setting.current.saturating_sub(1),
                false => (setting.current + 1).min(last),
            };
        }
    }

    /// Returns the choice that Enter makes in the selected row: to continue the saved game in its row, or to start a new
    /// game in any other row.
    fn choice(&self) -> Choice {
        match (&self.saved_game, self.selected) {
            (Some(file), 0) => Choice::Continue(file.clone()),
            _ => {
                let values = self
                    .settings
                    .iter()
                    .map(|setting| &setting.values[setting.current]);
                Choice::NewGame(values.map(|(line, _)| line.clone()).collect())
            }
        }
    }

    /// Draws the menu. Returns exactly `height` lines (one if `height` is 0), each at most `width` columns wide.
    pub fn draw(&self, (width, height): (usize, usize)) -> Vec<StyledLine> {
        let mut texts = Vec::new();
        texts.extend(
            self.saved_game
                .as_ref()
                .map(|_| "Continue the last game".to_owned()),
        );
        texts.extend(self.settings.iter().map(|setting| {
            let (_, value) = &setting.values[setting.current];
            format!("{:<10} < {value} >", setting.label)
        }));
        texts.push("Start a new game".to_owned());
        let rows = texts
            .into_iter()
            .enumerate()
            .map(|(row, text)| match row == self.selected {
                true => styled_line(format!("> {text}"), Style::BestHint),
                false => styled_line(format!("  {text}"), Style::Plain),
            });
        let mut lines = vec![styled_line("Honinbo", Style::Bold), StyledLine::new()];
        lines.extend(rows);
        lines.extend([StyledLine::new(), styled_line(KEY_HELP, Style::Dim)]);
        lines.resize(height.max(1), StyledLine::new());
        lines
            .into_iter()
            .map(|line| truncate(line, width))
            .collect()
    }
}

fn size_setting(current: BoardSize) -> Setting {
    let mut sizes: Vec<String> = SIZES.iter().map(|side| format!("{side}x{side}")).collect();
    let current = current.to_string();
    if !sizes.contains(&current) {
        sizes.push(current.clone());
    }
    let index = sizes.iter().position(|size| *size == current);
    Setting {
        label: "Board",
        values: sizes
            .into_iter()
            .map(|size| (format!("new {size}"), size))
            .collect(),
        current: index.unwrap_or(0),
    }
}

fn level_setting(current: &Level) -> Setting {
    let values = LEVELS.iter().map(|level| {
        let text = format!("{} ({})", level.number, level.name);
        (format!("level {}", level.number), text)
    });
    let index = LEVELS
        .iter()
        .position(|level| level.number == current.number);
    Setting {
        label: "Level",
        values: values.collect(),
        current: index.unwrap_or(0),
    }
}

fn handicap_setting() -> Setting {
    let stones =
        (2..=MAX_HANDICAP).map(|stones| (format!("handicap {stones}"), format!("{stones} stones")));
    Setting {
        label: "Handicap",
        // An empty line does nothing.
        values: std::iter::once((String::new(), "none".to_owned()))
            .chain(stones)
            .collect(),
        current: 0,
    }
}
