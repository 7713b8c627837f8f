//! Damaged and malicious SGF files: each results in an error or in all recoverable nodes, quickly and without
//! panicking.

use std::fs;
use std::path::{Path, PathBuf};

use honinbo::random::Rng;
use honinbo::sgf::{ParseError, ParsedSgf, parse, write};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sgf-broken")
}

/// For each file, the number of recoverable nodes per game. An empty list means that the file must be rejected.
const EXPECTED_NODES: [(&str, &[usize]); 17] = [
    ("binary.sgf", &[]),
    ("cut-in-comment.sgf", &[4]),
    ("cut-in-move.sgf", &[4]),
    ("cut-in-variation.sgf", &[6]),
    ("empty.sgf", &[]),
    ("extra-closing.sgf", &[3, 2]),
    ("junk-inside.sgf", &[4]),
    ("lower-case-names.sgf", &[3]),
    ("missing-bracket.sgf", &[4]),
    ("missing-closing.sgf", &[3]),
    ("missing-semicolon.sgf", &[3]),
    ("missing-semicolons.sgf", &[5, 2, 2]),
    ("moves-after-variations.sgf", &[5]),
    ("no-game.sgf", &[]),
    ("nul-bytes.sgf", &[3]),
    ("unclosed-first-value.sgf", &[]),
    ("wrapped-twice.sgf", &[3]),
];

#[test]
fn corpus_files_give_recoverable_nodes() {
    let mut listed: Vec<_> = fs::read_dir(folder())
        .expect("the corpus directory")
        .map(|entry| entry.expect("a directory entry").file_name())
        .collect();
    listed.sort();
    assert_eq!(
        listed,
        EXPECTED_NODES.map(|(name, _)| name),
        "one entry per file"
    );
    for (name, nodes) in EXPECTED_NODES {
        let bytes = fs::read(folder().join(name)).expect("a readable file");
        match parse(&bytes) {
            Ok(parsed) => {
                assert_eq!(node_counts(&parsed), nodes, "{name}: {:?}", parsed.warnings);
                assert_ne!(parsed.warnings, [], "{name} has no warning");
                // A repaired file is valid once it has been written.
                let again = parse(write(&parsed.collection).as_bytes()).expect("valid output");
                assert_eq!(
                    (node_counts(&again), again.warnings),
                    (nodes.to_vec(), vec![]),
                    "{name}"
                );
            }
            Err(error) => {
                assert!(nodes.is_empty(), "{name}: {error}");
                assert!(matches!(error, ParseError::NoGame(_)), "{name}: {error}");
            }
        }
    }
}

fn node_counts(parsed: &ParsedSgf) -> Vec<usize> {
    let games = parsed.collection.games.iter();
    games.map(|game| game.node_count()).collect()
}

#[test]
fn truncated_files_are_read_or_rejected() {
    let valid = "(;FF[4]SZ[9]C[a\\]b]AB[aa:cc][dd];B[ee](;W[ff]C[é])(;W[gg];B[]))(;C[second])";
    let complete = parse(valid.as_bytes()).expect("valid");
    assert_eq!(
        (node_counts(&complete), complete.warnings),
        (vec![5, 1], vec![])
    );
    for length in 0..valid.len() {
        let prefix = &valid.as_bytes()[..length];
        match parse(prefix) {
            Ok(parsed) => {
                let first_game_complete = length == valid.find("(;C[second").unwrap_or_default();
                assert_eq!(
                    parsed.warnings.is_empty(),
                    first_game_complete,
                    "{length} bytes"
                );
                assert!(node_counts(&parsed)[0] <= 5, "{length} bytes");
            }
            Err(error) => {
                assert!(length < 2, "{length} bytes: {error}");
                assert!(
                    matches!(error, ParseError::NoGame(_)),
                    "{length} bytes: {error}"
                );
            }
        }
    }
}

#[test]
fn replaced_bytes_are_read_or_rejected() {
    let valid = b"(;SZ[9]C[a\\]b]AB[aa:cc];B[ee](;W[ff])(;W[gg];B[]))";
    for index in 0..valid.len() {
        for byte in *b"();[]\\ aA0:\0\n\xff\x80" {
            let mut damaged = valid.to_vec();
            damaged[index] = byte;
            if let Ok(parsed) = parse(&damaged) {
                let again = parse(write(&parsed.collection).as_bytes()).expect("valid output");
                assert_eq!(again.warnings, [], "byte {index} replaced by {byte}");
                assert_eq!(
                    node_counts(&again),
                    node_counts(&parsed),
                    "byte {index} replaced by {byte}"
                );
            }
        }
    }
}

#[test]
fn million_parentheses_are_handled() {
    let opening = vec![b'('; 1 << 20];
    assert!(matches!(parse(&opening), Err(ParseError::NoGame(_))));
    let after_node = [b"(;B[aa]".as_slice(), &opening].concat();
    assert_eq!(node_counts(&parse(&after_node).expect("one node")), [1]);
    let too_many = [b"(;B[aa]".as_slice(), &opening, &opening].concat();
    assert!(matches!(parse(&too_many), Err(ParseError::TooMany(_))));
}

#[test]
fn deep_trees_do_not_overflow_stack() {
    let depth = 300_000;
    let mut text = "(;C[a](;B[aa])".repeat(depth);
    text.push_str(&")".repeat(depth));
    let parsed = parse(text.as_bytes()).expect("valid");
    assert_eq!(
        (node_counts(&parsed), &parsed.warnings),
        (vec![2 * depth], &vec![])
    );
    let game = &parsed.collection.games[0];
    assert_eq!(game.main_line().count(), 2);
    let again = parse(write(&parsed.collection).as_bytes()).expect("valid output");
    assert_eq!(again.collection.games[0].node_count(), 2 * depth);
    assert_eq!(game.clone(), *game);
}

/// Returns random bytes, mostly chosen from `frequent` unless it is empty.
fn garbage(length: usize, frequent: &[u8]) -> Vec<u8> {
    let mut rng = Rng::new(20_240_229);
    let mut byte = || {
        if frequent.is_empty() || rng.below(16) == 0 {
            rng.below(256) as u8
        } else {
            frequent[rng.below(frequent.len())]
        }
    };
    (0..length).map(|_| byte()).collect()
}

#[test]
fn garbage_is_read_or_rejected() {
    let length = 10 << 20;
    for frequent in [
        b"".as_slice(),
        b"()[];",
        b"(;",
        b"(( \n",
        b";B[]",
        b"A[]",
        b"\\[",
        b"(;CA[)]",
    ] {
        let bytes = garbage(length, frequent);
        for bytes in [bytes.clone(), [b"(;B[aa]".as_slice(), &bytes].concat()] {
            match parse(&bytes) {
                Ok(parsed) => {
                    assert_ne!(parsed.warnings, []);
                    assert!(parsed.warnings.len() <= 100);
                }
                Err(error) => assert_ne!(error.to_string(), ""),
            }
        }
    }
}

#[test]
fn limits_are_errors_with_positions() {
    let too_long = vec![b' '; (64 << 20) + 1];
    assert_eq!(
        parse(&too_long),
        Err(ParseError::TooLong {
            found: too_long.len()
        })
    );
    let many_nodes = format!("(\n{}", ";".repeat(2_000_001));
    let error = parse(many_nodes.as_bytes()).expect_err("too many nodes");
    assert_eq!(
        error.to_string(),
        "line 2, column 2000000: expected at most two million nodes, values and variations, found ';'"
    );
    let many_properties: String = (0..129).map(|index| format!("A{index}[]")).collect();
    let error = parse(format!("(;{many_properties})").as_bytes()).expect_err("too many properties");
    assert!(matches!(error, ParseError::TooMany(_)), "{error}");
}
