//! A game as one line of SGF, which any viewer shows.
//!
//! Beside the usual properties the root has a private one, `KN`: the game's number. Where the game was counted its last
//! node has the dead stones in another, `KD`, and says by `TB` and `TW` whose the points without own stones are. The
//! moves that a thorough search chose have what it said beside them, as [`Target`](crate::learn::target::Target) tells.

use super::game::{Ending, Played};
use crate::game::color::Color;
use crate::sgf::points::{self, Coordinate};
use crate::sgf::record::{sign, write_game};
use crate::sgf::tree::{GameTree, NodeId};
use crate::sgf::{Collection, write};

/// The property of a game's number.
const NUMBER: &str = "KN";
/// How each line begins.
const BEGINNING: &str = "(;FF[4]GM[1]";
/// That of the stones taken off before the count.
pub(super) const DEAD: &str = "KD";

/// The game's text, ended by the only line break in it.
#[must_use]
pub fn line(played: &Played, player: &str) -> String {
    let mut tree = write_game(&played.record);
    sign(&mut tree);
    write_heading(&mut tree, played, player);
    write_targets(&mut tree, played);
    write_end(&mut tree, played);
    let collection = Collection { games: vec![tree] };
    // The writer breaks lines between values, where white space means nothing; no value here holds a break.
    let mut text = write(&collection).replace('\n', "");
    text.push('\n');
    text
}

/// The number of the game in a whole line, as far as it is one of these.
#[must_use]
pub fn number(line: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    // As editors and version control on Windows end lines.
    number_in(text.strip_suffix('\r').unwrap_or(text).strip_suffix(')')?)
}

/// Whether all that a file holds may be what a crash left of its first line: its beginning, or nothing.
#[must_use]
pub fn is_torn(rest: &[u8]) -> bool {
    let text = String::from_utf8_lossy(rest);
    let root_begun = |root: &str| !root.contains(';') && !root.ends_with(')');
    rest.is_empty()
        || number_in(&text).is_some()
        || BEGINNING.starts_with(&*text)
        || (text.strip_prefix(BEGINNING)).is_some_and(root_begun)
}

fn number_in(text: &str) -> Option<u64> {
    // Of what stands before it in the root nothing has a semicolon.
    let root = text.strip_prefix("(;")?.split(';').next()?;
    let after = root.split_once(NUMBER)?.1;
    after.strip_prefix('[')?.split_once(']')?.0.parse().ok()
}

fn write_heading(tree: &mut GameTree, played: &Played, player: &str) {
    let root = tree.node_mut(tree.root());
    root.set(NUMBER, played.number.to_string());
    // A line break would end the game's line.
    let player = player.replace(char::is_control, " ");
    root.set("PB", player.as_str());
    root.set("PW", player);
    match &played.ending {
        Ending::Counted { count, .. } => root.set("RE", count.score.to_string()),
        // A resignation is in the record.
        Ending::Resigned(_) => {}
        Ending::Unfinished => root.set("RE", "Void"),
    }
}

fn write_targets(tree: &mut GameTree, played: &Played) {
    let nodes: Vec<NodeId> = tree.main_line().skip(1).collect();
    for (id, target) in nodes.into_iter().zip(&played.targets) {
        if let Some(target) = target {
            target.write(tree.node_mut(id));
        }
    }
}

/// The dead stones, and for viewers whose the points are that have no living stone.
fn write_end(tree: &mut GameTree, played: &Played) {
    let Ending::Counted { dead, count } = &played.ending else {
        return;
    };
    let board = played.record.position().board();
    let last = tree.main_line().last().unwrap_or(tree.root());
    let territory = |color: Color| count.owned[color] - *board.stones(color);
    for (name, set) in [
        (DEAD, *dead),
        ("TB", territory(Color::Black)),
        ("TW", territory(Color::White)),
    ] {
        let set: Vec<Coordinate> = set.iter().map(Coordinate::from).collect();
        tree.node_mut(last)
            .set_list(name, points::write_points(&set));
    }
}
