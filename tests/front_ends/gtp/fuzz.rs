//! Random sessions: every command gets exactly one well-formed response.
//!
//! `FUZZ_LINES=1000000 cargo test --test front_ends gtp::fuzz` sends a million lines; the default takes seconds.

use honinbo::gtp::command_table::commands;
use honinbo::random::Rng;

use super::converse;

/// Number of lines per session.
const LINES: usize = 4000;

const WORDS: [&str; 40] = [
    "b",
    "w",
    "white",
    "A1",
    "E5",
    "pass",
    "T19",
    "Z99",
    "3",
    "0",
    "-1",
    "99999999999999999999",
    "0.5",
    "nan",
    "inf",
    "true",
    "false",
    "all",
    "interval",
    "avoid",
    "allow",
    "ownership",
    "movesOwnership",
    "ownershipStdev",
    "noResultValue",
    "maxmoves",
    "dead",
    "chinese",
    "japanese",
    "{}",
    "{\"ko\":\"SIMPLE\"}",
    "é",
    ",",
    "byoyomi",
    "fischer",
    "A1,B1",
    "resign",
    "cpuct",
    "maxVisits",
    "\t#",
];

/// Commands that access files or end the session.
const EXCLUDED: [&str; 3] = ["quit", "printsgf", "loadsgf"];

#[test]
fn random_commands_get_one_response_each() {
    let lines = std::env::var("FUZZ_LINES").map_or(LINES, |text| text.parse().unwrap());
    for session in 0..lines.div_ceil(LINES) {
        run_session(&mut Rng::stream(20, session as u64));
        if session % 100 == 99 {
            println!("{} lines", (session + 1) * LINES);
        }
    }
}

fn run_session(rng: &mut Rng) {
    let names: Vec<_> = commands()
        .map(|command| command.name)
        .filter(|name| !EXCLUDED.contains(name))
        .collect();
    let mut input = String::from("boardsize 5\n");
    for id in 0..LINES {
        input.push_str(&format!("{id} {}", names[rng.below(names.len())]));
        for _ in 0..rng.below(5) {
            input.push_str(&format!(" {}", WORDS[rng.below(WORDS.len())]));
        }
        input.push('\n');
    }
    let answers = converse(input.as_bytes());
    let mut blocks = answers.split("\n\n");
    assert_eq!(blocks.next(), Some("= "));
    for id in 0..LINES {
        let block = blocks.next().expect("a response to every command");
        let (sign, rest) = block.split_at(1);
        assert!(sign == "=" || sign == "?", "{block}");
        let digits = rest.find([' ', '\n']).map_or(rest, |end| &rest[..end]);
        assert_eq!(digits, id.to_string(), "{block}");
    }
    assert_eq!(blocks.next(), Some(""));
    assert_eq!(blocks.next(), None);
}
