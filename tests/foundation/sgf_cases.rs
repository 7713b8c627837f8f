//! Game files in the style of many programs and servers, each with its expected contents in `expected.json`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use honinbo::game::color::Color;
use honinbo::game::rules::Rules;
use honinbo::sgf::convert::{PlayablePart, read_until_move};
use honinbo::sgf::{GameTree, Value, parse};
use serde::Deserialize;

/// Expected contents of a file. The board is that after the last move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    size: (usize, usize),
    /// Vertices of the stones, in any order.
    black: String,
    white: String,
    /// Number of moves of the main line.
    moves: usize,
    to_play: String,
    /// Names of Black and White.
    players: (String, String),
    komi: f64,
    rules: String,
    handicap: usize,
    /// For each warning, in order, a part of its text.
    warnings: Vec<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases")
}

fn expected() -> BTreeMap<String, Expected> {
    let text = fs::read_to_string(folder().join("expected.json")).expect("the table");
    serde_json::from_str(&text).expect("a valid table")
}

#[test]
fn every_file_is_in_the_table() {
    let files = fs::read_dir(folder()).expect("the folder");
    let names = files.map(|entry| {
        entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("a name")
    });
    let mut names: Vec<String> = names.filter(|name| name != "expected.json").collect();
    names.sort();
    let listed: Vec<String> = expected().into_keys().collect();
    assert_eq!(names, listed);
    assert!(names.len() >= 60, "{}", names.len());
}

#[test]
fn files_have_their_expected_contents() {
    let differences: Vec<String> = expected()
        .into_iter()
        .filter_map(|(name, expected)| Some(format!("{name}: {}", difference(&name, &expected)?)))
        .collect();
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
}

/// Returns a description of the difference from the expected contents, if any.
fn difference(name: &str, expected: &Expected) -> Option<String> {
    let bytes = fs::read(folder().join(name)).expect("a readable file");
    let parsed = match parse(&bytes) {
        Ok(parsed) => parsed,
        Err(error) => return Some(error.to_string()),
    };
    let tree = parsed.first_game();
    let part = match read_until_move(tree, None, Rules::default()) {
        Ok(part) => part,
        Err(error) => return Some(error.to_string()),
    };
    let warnings = parsed
        .warnings
        .iter()
        .map(ToString::to_string)
        .chain(part.remarks());
    let warnings: Vec<String> = warnings.collect();
    let are_expected = warnings.len() == expected.warnings.len()
        && warnings
            .iter()
            .zip(&expected.warnings)
            .all(|(warning, part)| warning.contains(part));
    let found = describe(tree, &part);
    let wanted = describe_expected(expected);
    if found != wanted {
        return Some(format!(
            "expected {wanted}\n    found {found}\n    {warnings:?}"
        ));
    }
    (!are_expected).then(|| format!("expected {:?}, found {warnings:?}", expected.warnings))
}

fn describe(tree: &GameTree, part: &PlayablePart) -> String {
    let position = part.record.position();
    let size = position.size();
    let root = tree.node(tree.root());
    let text = |name| root.value(name).map(Value::simple_text).unwrap_or_default();
    let stones = |color| {
        let points = position.board().stones(color).iter();
        let vertices: Vec<String> = points.map(|point| size.vertex(point)).collect();
        sorted(&vertices.join(" "))
    };
    format!(
        "{}x{} [{}] [{}], {} moves, {} to play, {} - {}, komi {}, {}, handicap {}",
        size.width(),
        size.height(),
        stones(Color::Black),
        stones(Color::White),
        part.moves_played,
        position.to_move(),
        text("PB"),
        text("PW"),
        position.rules().komi,
        position.rules().name_or_katago_string(),
        position.handicap(),
    )
}

fn describe_expected(expected: &Expected) -> String {
    format!(
        "{}x{} [{}] [{}], {} moves, {} to play, {} - {}, komi {}, {}, handicap {}",
        expected.size.0,
        expected.size.1,
        sorted(&expected.black),
        sorted(&expected.white),
        expected.moves,
        expected.to_play,
        expected.players.0,
        expected.players.1,
        expected.komi,
        expected.rules,
        expected.handicap,
    )
}

fn sorted(words: &str) -> String {
    let mut words: Vec<&str> = words.split_whitespace().collect();
    words.sort_unstable();
    words.join(" ")
}
