//! A game as one line of SGF, which any viewer shows.
//!
//! Beside the usual properties the root has a private one, `KN`: the game's number. Where the game was counted its last
//! node has the dead stones in another, `KD`, and says by `TB` and `TW` whose the points without own stones are. The
//! moves that a thorough search chose have what it said beside them, as [`Target`](crate::learn::target::Target) tells.

use super::game::{SelfplayGame, SelfplayOutcome};
use crate::game::color::Color;
use crate::sgf::convert::write_game;
use crate::sgf::points;
use crate::sgf::tree::{GameTree, NodeId};
use crate::sgf::write::set_application;
use crate::sgf::{Collection, write};

/// The property of a game's number.
const NUMBER_PROPERTY: &str = "KN";
/// How each line begins.
const LINE_PREFIX: &str = "(;FF[4]GM[1]";
/// That of the stones taken off before the count.
pub(super) const DEAD_PROPERTY: &str = "KD";

/// The game's text, ended by the only line break in it.
#[must_use]
pub fn format_line(game: &SelfplayGame, player: &str) -> String {
    let mut tree = write_game(&game.record);
    set_application(&mut tree);
    write_header(&mut tree, game, player);
    write_targets(&mut tree, game);
    write_final_position(&mut tree, game);
    let collection = Collection { games: vec![tree] };
    // The writer breaks lines between values, where white space means nothing; no value here holds a break.
    let mut text = write(&collection).replace('\n', "");
    text.push('\n');
    text
}

/// The number of the game in a whole line, as far as it is one of these.
#[must_use]
pub fn game_number(line: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    // As editors and version control on Windows end lines.
    parse_game_number(text.strip_suffix('\r').unwrap_or(text).strip_suffix(')')?)
}

/// Whether all that a file holds may be what a crash left of its first line: its beginning, or nothing.
#[must_use]
pub fn is_truncated(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let is_root_prefix = |root: &str| !root.contains(';') && !root.ends_with(')');
    bytes.is_empty()
        || parse_game_number(&text).is_some()
        || LINE_PREFIX.starts_with(&*text)
        || (text.strip_prefix(LINE_PREFIX)).is_some_and(is_root_prefix)
}

fn parse_game_number(text: &str) -> Option<u64> {
    // Of what stands before it in the root nothing has a semicolon.
    let root = text.strip_prefix("(;")?.split(';').next()?;
    let after = root.split_once(NUMBER_PROPERTY)?.1;
    after.strip_prefix('[')?.split_once(']')?.0.parse().ok()
}

fn write_header(tree: &mut GameTree, game: &SelfplayGame, player: &str) {
    let root = tree.node_mut(tree.root());
    root.set(NUMBER_PROPERTY, game.number.to_string());
    // A line break would end the game's line.
    let player = player.replace(char::is_control, " ");
    root.set("PB", player.as_str());
    root.set("PW", player);
    match &game.outcome {
        SelfplayOutcome::Counted { count, .. } => root.set("RE", count.score.to_string()),
        // A resignation is in the record.
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

/// The dead stones, and for viewers whose the points are that have no living stone.
fn write_final_position(tree: &mut GameTree, game: &SelfplayGame) {
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
