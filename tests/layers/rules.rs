//! Checks of a single file against the tables.

use crate::source::{Path, SourceFile, Token};
use crate::tables::{
    CRATE_USERS, FORBIDDEN_WORDS, LAYERS, MAX_COMMENT_WIDTH, SIBLING_IMPORTS, THREAD_STARTERS,
    UNSAFE, WORD_EXCEPTIONS,
};

/// Returns the violations in a file.
pub fn violations(source: &SourceFile) -> Vec<String> {
    let (file, tokens) = (&source.file, &source.tokens);
    let mut found = comments(file, &source.text);
    found.extend(leftovers(file, &source.text, tokens));
    if let Some(inside) = source.inside() {
        found.extend(imports(file, source.module()[0], &source.paths));
        found.extend(restricted_code(file, inside, tokens));
        found.extend(names(file, tokens));
    }
    found
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// Checks the module header and the width of comments.
fn comments(file: &str, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    if !source.starts_with("//! ") {
        found.push(format!(
            "{file}:1: missing module documentation: start the file with `//! `"
        ));
    }
    let is_wide = |line: &str| {
        line.trim_start().starts_with("//") && line.chars().count() > MAX_COMMENT_WIDTH
    };
    if let Some((index, _)) = source.lines().enumerate().find(|(_, line)| is_wide(line)) {
        let line = index + 1;
        found.push(format!(
            "{file}:{line}: comment wider than {MAX_COMMENT_WIDTH} characters: break the line"
        ));
    }
    found
}

/// Checks that a file imports only modules of lower layers.
fn imports(file: &str, own: &str, paths: &[Path]) -> Vec<String> {
    let no_layer = |line: usize, module: &str| {
        format!("{file}:{line}: module `{module}` has no layer: add it to LAYERS above its imports")
    };
    let Some(own_layer) = layer(own) else {
        return vec![no_layer(1, own)];
    };
    let mut found = Vec::new();
    for path in paths {
        let line = path.line;
        let Some(other) = path.segments.first().map(String::as_str) else {
            continue;
        };
        match layer(other) {
            _ if other == own => {}
            None => found.push(no_layer(line, other)),
            Some(other_layer) if other_layer < own_layer => {}
            Some(_) if SIBLING_IMPORTS.contains(&(own, other)) => {}
            Some(other_layer) if other_layer == own_layer => found.push(format!(
                "{file}:{line}: `{own}` imports `{other}` of the same layer: move the shared items to a lower layer, or \
                 pass them as parameters"
            )),
            Some(_) => found.push(format!(
                "{file}:{line}: `{own}` imports `{other}` of a higher layer: let `{other}` call `{own}`, or define a \
                 trait here that `{other}` implements"
            )),
        }
    }
    found
}

fn is_inside(inside: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| inside.starts_with(prefix))
}

/// Returns true if a path continues with one of these names, directly or in braces.
fn continues_with(path: &[Token], names: &[&str]) -> bool {
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

/// Returns true if a path into one of these crates starts here.
fn names_crate(tokens: &[Token], crates: &[&str]) -> bool {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    crates.contains(&text(0)) && text(1) == "::"
}

/// Returns true if a thread is started here, or a function or type for that purpose is imported.
fn starts_thread(tokens: &[Token]) -> bool {
    names_crate(tokens, &["rayon"])
        || (tokens[0].text == "thread"
            && continues_with(&tokens[1..], &["spawn", "scope", "Builder"]))
}

/// Returns the permissions in the tables that no file uses.
pub fn unused_permissions(sources: &[SourceFile]) -> Vec<String> {
    let is_unused = |prefix: &str, is_use: &dyn Fn(&[Token]) -> bool| {
        let has_use = |source: &SourceFile| {
            let tokens = &source.tokens;
            (source.inside()).is_some_and(|inside| inside.starts_with(prefix))
                && (0..tokens.len()).any(|at| is_use(&tokens[at..]))
        };
        !sources.iter().any(has_use)
    };
    let mut found = Vec::new();
    for (crates, prefixes) in CRATE_USERS {
        for prefix in prefixes {
            if is_unused(prefix, &|tokens| names_crate(tokens, crates)) {
                found.push(format!(
                    "{prefix} does not use {}: remove it from CRATE_USERS",
                    crates[0]
                ));
            }
        }
    }
    for prefix in THREAD_STARTERS {
        if is_unused(prefix, &starts_thread) {
            found.push(format!(
                "{prefix} starts no threads: remove it from THREAD_STARTERS"
            ));
        }
    }
    for (importer, sibling) in SIBLING_IMPORTS {
        // The binary's files name the library `honinbo`.
        let is_import = |tokens: &[Token]| {
            names_crate(tokens, &["crate", "honinbo"]) && continues_with(&tokens[1..], &[sibling])
        };
        if is_unused(importer, &is_import) {
            found.push(format!(
                "{importer} does not import {sibling}: remove the pair from SIBLING_IMPORTS"
            ));
        }
    }
    for (word, file) in WORD_EXCEPTIONS {
        let inside = file.trim_start_matches("src/");
        if is_unused(inside, &|tokens| {
            contains_word(&snake_case(&tokens[0].text), word)
        }) {
            found.push(format!(
                "{file} does not use the word `{word}`: remove it from WORD_EXCEPTIONS"
            ));
        }
    }
    found
}

/// Checks the use of external crates, threads and `unsafe`.
fn restricted_code(file: &str, inside: &str, tokens: &[Token]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let line = token.line;
        for (crates, prefixes) in CRATE_USERS {
            if names_crate(&tokens[at..], crates) && !is_inside(inside, prefixes) {
                found.push(format!(
                    "{file}:{line}: `{}` may be used only in {}: wrap it in a type there",
                    token.text,
                    prefixes.join(", ")
                ));
            }
        }
        if starts_thread(&tokens[at..]) && !is_inside(inside, &THREAD_STARTERS) {
            found.push(format!(
                "{file}:{line}: starts a thread, which is permitted only in {}: let the caller choose the thread",
                THREAD_STARTERS.join(", ")
            ));
        }
        if token.text == "unsafe" && !inside.starts_with(UNSAFE) {
            found.push(format!(
                "{file}:{line}: `unsafe` is permitted only in {UNSAFE}: wrap it in a safe function there"
            ));
        }
    }
    found
}

/// Checks identifiers for forbidden words.
fn names(file: &str, tokens: &[Token]) -> Vec<String> {
    let mut found = Vec::new();
    for token in tokens.iter().filter(|token| token.is_identifier) {
        let name = snake_case(&token.text);
        let forbidden = (FORBIDDEN_WORDS.iter()).find(|word| contains_word(&name, word));
        if let Some(&word) = forbidden
            && !WORD_EXCEPTIONS.contains(&(word, file))
        {
            found.push(format!(
                "{file}:{}: `{}` contains the word `{word}`: use the standard term",
                token.line, token.text
            ));
        }
    }
    found
}

/// Returns true if a snake-case identifier contains `word`, or all words of a sequence such as `so_many`.
fn contains_word(snake_case: &str, word: &str) -> bool {
    snake_case.match_indices(word).any(|(start, _)| {
        let (before, after) = (&snake_case[..start], &snake_case[start + word.len()..]);
        (before.is_empty() || before.ends_with('_')) && (after.is_empty() || after.starts_with('_'))
    })
}

/// Converts an identifier of any case to snake case.
fn snake_case(identifier: &str) -> String {
    let mut snake = String::new();
    let mut was_lower = false;
    for c in identifier.chars() {
        if c.is_uppercase() && was_lower {
            snake.push('_');
        }
        was_lower = c.is_lowercase();
        snake.extend(c.to_lowercase());
    }
    snake
}

/// Checks for ignored tests, tests that sleep, debug output and marks of unfinished work.
fn leftovers(file: &str, source: &str, tokens: &[Token]) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_test = file.starts_with("tests/");
    for (at, token) in tokens.iter().enumerate() {
        let text = |offset: usize| tokens.get(at + offset).map_or("", |t| t.text.as_str());
        let follows = |words: &[&str]| words.iter().enumerate().all(|(i, &w)| text(i) == w);
        is_test |= follows(&["cfg", "(", "test", ")"]);
        let message = if follows(&["#", "[", "ignore"]) {
            "ignored test: make it faster, or remove it"
        } else if is_test && text(0) == "thread" && continues_with(&tokens[at + 1..], &["sleep"]) {
            "sleep in a test is slow and unreliable: wait for the event"
        } else if follows(&["dbg", "!"]) {
            "debug output: remove `dbg!`"
        } else {
            continue;
        };
        found.push(format!("{file}:{}: {message}", token.line));
    }
    // Escapes keep this file from matching.
    let marks = ["TO\u{44}O", "FIX\u{4d}E"];
    for (index, line) in source.lines().enumerate() {
        if marks.iter().any(|mark| line.contains(mark)) {
            found.push(format!(
                "{file}:{}: mark of unfinished work: finish it, or open an issue",
                index + 1
            ));
        }
    }
    found
}
