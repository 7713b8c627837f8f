//! The plan as tables, and what is said to whoever breaks it.

use crate::source::{Token, code_only, references, tokens};

/// The layers, lowest first.
const LAYERS: [&[&str]; 10] = [
    &["io", "parallel", "random"],
    &["game"],
    &["sgf", "tactics", "clock"],
    &["encode"],
    &["net"],
    &["eval"],
    &["search"],
    &["engine"],
    &[
        "gtp",
        "json",
        "service",
        "terminal",
        "review",
        "match_play",
        "learn",
        "bench",
    ],
    &["cli", "main", "lib"],
];

/// Who may import a sibling of its own layer.
const ACQUAINTED: [(&str, &str); 2] = [
    // The service reads and writes the fields and games of the JSON engine, and reviews.
    ("service", "json"),
    ("service", "review"),
];

/// Outside crates that stay within a border: below which paths of `src` each may be named.
const BORDERS: [(&[&str], &[&str]); 12] = [
    (&["candle_core", "candle_nn"], &["net/"]),
    (
        &["clap", "clap_complete", "clap_mangen", "anyhow"],
        &["cli", "main.rs"],
    ),
    (
        &["serde", "serde_json"],
        // Of GTP, one command takes and gives rules as JSON, and another parameters.
        &[
            "net/",
            "json/",
            "review/json",
            "service/",
            "learn/",
            "gtp/commands/setup",
            "gtp/commands/params",
            "cli",
        ],
    ),
    (&["rusqlite"], &["service/store"]),
    (&["tokio"], &["service/"]),
    (
        &["axum", "futures_util", "hyper", "hyper_util"],
        &["service/http"],
    ),
    (&["subtle"], &["service/dispatcher"]),
    (&["resvg", "dejavu"], &["review/png"]),
    (&["crossterm"], &["terminal/screen", "terminal/events"]),
    (&["unicode_width"], &["terminal/style"]),
    (
        &["rustix"],
        &["terminal/events", "match_play/process_group"],
    ),
    (&["signal_hook"], &["terminal/screen", "cli/common"]),
];

/// Where threads may be started: everything else runs on the thread it is called on.
const THREADS: [&str; 14] = [
    "bench/",
    "gtp/session",
    "terminal/events",
    "eval/calibration",
    "search/mod.rs",
    "json/session",
    "review/analysis",
    "service/server",
    "tactics/life",
    "tactics/solver",
    "tactics/transposition_table",
    "match_play/",
    "learn/",
    "cli",
];

const UNSAFE: &str = "net/kernels";
const LONGEST: usize = 800;
/// Letters of a comment's line.
const WIDEST: usize = 122;

/// What is wrong with a file; `file` is its path from the package's root.
pub fn complaints(file: &str, source: &str) -> Vec<String> {
    let tokens = tokens(&code_only(source));
    let mut found = shape(file, source);
    found.extend(leftovers(file, source, &tokens));
    if let Some(inside) = file.strip_prefix("src/") {
        found.extend(imports(file, inside, &tokens));
        found.extend(borders(file, inside, &tokens));
    }
    found
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

fn shape(file: &str, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !source.starts_with("//! ") {
        found.push(format!(
            "{file}:1: expected the file to begin with `//! ` and what it promises to its callers"
        ));
    }
    found.extend(length(file, source));
    // The formatter leaves comments as they are.
    let wide = |line: &str| line.trim_start().starts_with("//") && line.chars().count() > WIDEST;
    if let Some((index, _)) = source.lines().enumerate().find(|(_, line)| wide(line)) {
        let line = index + 1;
        found.push(format!(
            "{file}:{line}: a comment wider than {WIDEST} letters. Break its line"
        ));
    }
    found
}

/// What is wrong with the length of a file in any language.
pub fn length(file: &str, source: &str) -> Option<String> {
    let lines = source.lines().count();
    (lines > LONGEST).then(|| {
        format!(
            "{file}: {lines} lines, at most {LONGEST} are allowed. Split the file by what changes together, or move its \
             tests to tests/"
        )
    })
}

fn imports(file: &str, inside: &str, tokens: &[Token]) -> Vec<String> {
    let mut path: Vec<&str> = inside.trim_end_matches(".rs").split('/').collect();
    let own = path[0];
    if path.last() == Some(&"mod") {
        path.pop();
    }
    let no_layer = |line: usize, module: &str| {
        format!(
            "{file}:{line}: module `{module}` has no layer. Give it a place in LAYERS, above all that it imports"
        )
    };
    let Some(rank) = layer(own) else {
        return vec![no_layer(1, own)];
    };
    let mut found = Vec::new();
    for reference in references(tokens, &path) {
        let (other, line) = (reference.module.as_str(), reference.line);
        match layer(other) {
            None => found.push(no_layer(line, other)),
            Some(below) if other == own || below < rank => {}
            Some(_) if ACQUAINTED.contains(&(own, other)) => {}
            Some(beside) if beside == rank => found.push(format!(
                "{file}:{line}: `{own}` imports its sibling `{other}`. Siblings do not know each other: move what both \
                 need to a lower layer, or pass it in as a parameter"
            )),
            Some(_) => found.push(format!(
                "{file}:{line}: `{own}` imports `{other}`, which is above it. Turn it round: let `{other}` call, or \
                 define here the trait or type that `{other}` fills in"
            )),
        }
    }
    found
}

fn within(inside: &str, places: &[&str]) -> bool {
    places.iter().any(|place| inside.starts_with(place))
}

/// Whether a path goes on to one of these names, alone or among others in braces.
fn names_one_of(path: &[Token], names: &[&str]) -> bool {
    let mut words = path.iter().map(|token| token.text.as_str());
    if words.next() != Some("::") {
        return false;
    }
    match words.next() {
        Some("{") => words
            .take_while(|&word| word != "}")
            .any(|word| names.contains(&word)),
        word => word.is_some_and(|word| names.contains(&word)),
    }
}

/// Whether a path into one of these crates begins here.
fn names_crate(tokens: &[Token], crates: &[&str]) -> bool {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    crates.contains(&text(0)) && text(1) == "::"
}

/// Whether threads are started here, or what starts them is named.
fn starts_thread(tokens: &[Token]) -> bool {
    names_crate(tokens, &["rayon"])
        || (tokens[0].text == "thread"
            && names_one_of(&tokens[1..], &["spawn", "scope", "Builder"]))
}

/// Permissions that no file has a use for: they would let something in unseen.
pub fn idle(sources: &[(String, String)]) -> Vec<String> {
    let inside = |(file, source): &(String, String)| {
        let file = file.strip_prefix("src/")?.to_owned();
        Some((file, tokens(&code_only(source))))
    };
    let files: Vec<(String, Vec<Token>)> = sources.iter().filter_map(inside).collect();
    let unused = |place: &str, used: &dyn Fn(&[Token]) -> bool| {
        let uses = |(file, tokens): &(String, Vec<Token>)| {
            within(file, &[place]) && (0..tokens.len()).any(|at| used(&tokens[at..]))
        };
        !files.iter().any(uses)
    };
    let mut found = Vec::new();
    for (crates, places) in BORDERS {
        for place in places {
            if unused(place, &|tokens| names_crate(tokens, crates)) {
                found.push(format!("{place} may name {}, but does not", crates[0]));
            }
        }
    }
    for place in THREADS {
        if unused(place, &starts_thread) {
            found.push(format!("{place} may start threads, but does not"));
        }
    }
    for (room, sibling) in ACQUAINTED {
        // Of the program's own crate too, whose name the binary's files begin with.
        let imports = |tokens: &[Token]| {
            names_crate(tokens, &["crate", "honinbo"]) && names_one_of(&tokens[1..], &[sibling])
        };
        if unused(room, &imports) {
            found.push(format!("{room} may import {sibling}, but does not"));
        }
    }
    found
}

fn borders(file: &str, inside: &str, tokens: &[Token]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let text = |offset: usize| tokens.get(at + offset).map_or("", |t| t.text.as_str());
        let line = token.line;
        for (crates, places) in BORDERS {
            if names_crate(&tokens[at..], crates) && !within(inside, places) {
                found.push(format!(
                    "{file}:{line}: `{}` is used, which may be known only in {}. Give back a type of our own from there",
                    token.text,
                    places.join(", ")
                ));
            }
        }
        if starts_thread(&tokens[at..]) && !within(inside, &THREADS) {
            found.push(format!(
                "{file}:{line}: threads are started, which may happen only in {}. Let the caller decide where it runs",
                THREADS.join(", ")
            ));
        }
        if text(0) == "unsafe" && !inside.starts_with(UNSAFE) {
            found.push(format!(
                "{file}:{line}: `unsafe` is used, which is allowed only in {UNSAFE}, behind a safe function"
            ));
        }
    }
    found
}

/// What is never to be left in a file: ignored or sleeping tests, debug output, unfinished work.
fn leftovers(file: &str, source: &str, tokens: &[Token]) -> Vec<String> {
    let mut found = Vec::new();
    let mut testing = file.starts_with("tests/");
    for (at, token) in tokens.iter().enumerate() {
        let text = |offset: usize| tokens.get(at + offset).map_or("", |t| t.text.as_str());
        let follows = |words: &[&str]| words.iter().enumerate().all(|(i, &w)| text(i) == w);
        testing |= follows(&["cfg", "(", "test", ")"]);
        let complaint = if follows(&["#", "[", "ignore"]) {
            "a test with `#[ignore]` tests nothing: make it quick, or remove it"
        } else if testing && text(0) == "thread" && names_one_of(&tokens[at + 1..], &["sleep"]) {
            "a test with a sleep is slow and fails at random: wait for the event itself"
        } else if follows(&["dbg", "!"]) {
            "`dbg!` is for debugging: remove it"
        } else {
            continue;
        };
        found.push(format!("{file}:{}: {complaint}", token.line));
    }
    for (number, line) in source.lines().enumerate() {
        // Spelled so that this file does not find itself.
        if ["TO\u{44}O", "FIX\u{4d}E"]
            .iter()
            .any(|mark| line.contains(mark))
        {
            found.push(format!(
                "{file}:{}: a mark for unfinished work: finish it, or open an issue",
                number + 1
            ));
        }
    }
    found
}
