//! Self-play games as single lines of SGF, readable by any viewer.
//!
//! The private root property `KN` contains the number of the game. If the game was scored, the last node contains the
//! dead stones in another private property, `KD`, and the territory in `TB` and `TW`. If a move was chosen by a full
//! search, its node contains the properties of a [`SearchTarget`](crate::learn::search_target::SearchTarget).

use super::game::{SelfplayGame, SelfplayOutcome};
use crate::game::color::Color;
use crate::sgf::convert::write_game;
use crate::sgf::points;
use crate::sgf::tree::{GameTree, NodeId};
use crate::sgf::write::set_application;
use crate::sgf::{Collection, write};

/// SGF property that contains the game number.
const NUMBER_PROPERTY: &str = "KN";
/// Text at the start of every line.
const LINE_PREFIX: &str = "(;FF[4]GM[1]";
/// SGF property that contains the dead stones.
pub(super) const DEAD_PROPERTY: &str = "KD";

/// Formats a game as one line of SGF, including the line break at the end. `player` is the name of both players.
pub fn format_line(game: &SelfplayGame, player: &str) -> String {
    let mut tree = write_game(&game.record);
    set_application(&mut tree);
    write_root_properties(&mut tree, game, player);
    write_targets(&mut tree, game);
    write_dead_and_territory(&mut tree, game);
    let collection = Collection { games: vec![tree] };
    // The SGF writer breaks lines only between values, where line breaks have no meaning.
    let mut text = write(&collection).replace('\n', "");
    text.push('\n');
    text
}

/// Returns the number of the game in `line`, or `None` if the line is incomplete or does not contain a self-play game.
pub fn game_number(line: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    // Editors or version control on Windows may have changed the line break.
    parse_game_number(text.strip_suffix('\r').unwrap_or(text).strip_suffix(')')?)
}

/// Returns true if `bytes` can be the start of a line, such as one left incomplete by a crash.
pub fn is_line_prefix(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let is_root_prefix = |root: &str| !root.contains(';') && !root.ends_with(')');
    bytes.is_empty()
        || parse_game_number(&text).is_some()
        || LINE_PREFIX.starts_with(&*text)
        || (text.strip_prefix(LINE_PREFIX)).is_some_and(is_root_prefix)
}

fn parse_game_number(text: &str) -> Option<u64> {
    // No value in the root contains a semicolon up to and including `NUMBER_PROPERTY`.
    let root = text.strip_prefix("(;")?.split(';').next()?;
    let after = root.split_once(NUMBER_PROPERTY)?.1;
    after.strip_prefix('[')?.split_once(']')?.0.parse().ok()
}

fn write_root_properties(tree: &mut GameTree, game: &SelfplayGame, player: &str) {
    let root = tree.node_mut(tree.root());
    root.set(NUMBER_PROPERTY, game.number.to_string());
    // A line break in the player name would split the line.
    let player = player.replace(char::is_control, " ");
    root.set("PB", player.as_str());
    root.set("PW", player);
    match &game.outcome {
        SelfplayOutcome::Counted { count, .. } => root.set("RE", count.score.to_string()),
        // `write_game` has written the result, because the record contains the resignation.
        SelfplayOutcome::Resigned(_) => {}
        SelfplayOutcome::Unfinished => root.set("RE", "Void"),
    }
}

fn write_targets(tree: &mut GameTree, game: &SelfplayGame) {
    let nodes: Vec<NodeId> = tree.main_line().skip(1).collect();
    for (id, target) in nodes.into_iter().zip(&game.targets) {
        if let Some(target) = target {
            target.write(tree.node_mut(id));
        }
    }
}

/// Writes the dead stones and, for SGF viewers, the territory.
fn write_dead_and_territory(tree: &mut GameTree, game: &SelfplayGame) {
    let SelfplayOutcome::Counted { dead, count } = &game.outcome else {
        return;
    };
    let board = game.record.position().board();
    let last = tree.main_line().last().unwrap_or(tree.root());
    let territory = |color: Color| count.owned[color] - *board.stones(color);
    for (property, points) in [
        (DEAD_PROPERTY, *dead),
        ("TB", territory(Color::Black)),
        ("TW", territory(Color::White)),
    ] {
        tree.node_mut(last)
            .set_list(property, points::write_points(points));
    }
}
