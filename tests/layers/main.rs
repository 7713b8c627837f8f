//! The plan of the house, enforced: who may import whom, where outside crates may be used, how long a file may be.
//!
//! Modules stand in layers, and a module imports lower layers only; a change then never travels upwards. The tables
//! below are the plan: when a new module or an honest exception comes, it is written here, with its reason.

mod rules;
mod source;

use std::fs;
use std::path::Path;

use rules::{complaints, idle, length};

/// All files below a folder but what tools leave there, as paths from the package's root with `/` between the parts.
fn files(folder: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(root.join(&folder)) else {
            continue;
        };
        for entry in entries {
            let entry = entry.unwrap();
            let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            if !entry.file_type().unwrap().is_dir() {
                files.push(path);
            } else if !path.ends_with("/__pycache__") && !path.ends_with("/target") {
                open.push(path);
            }
        }
    }
    files.sort();
    files
}

#[test]
fn the_source_keeps_to_the_plan() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut sources = Vec::new();
    for folder in ["src", "tests", "benches"] {
        for file in files(folder)
            .into_iter()
            .filter(|file| file.ends_with(".rs"))
        {
            let source = fs::read_to_string(root.join(&file)).unwrap();
            found.extend(complaints(&file, &source));
            sources.push((file, source));
        }
    }
    let read = sources.len();
    assert!(read > 20, "found only {read} files: wrong folder?");
    found.extend(idle(&sources));
    assert!(
        found.is_empty(),
        "{} breaches of the plan (tests/layers/rules.rs):\n\n{}\n",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn scripts_and_the_page_are_in_short_files_too() {
    const LANGUAGES: [&str; 7] = [".py", ".sh", ".js", ".css", ".html", ".cpp", ".h"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut read = Vec::new();
    for file in [files("scripts"), files("src/service/page")].concat() {
        let program = file.split('/').count() == 2;
        if program || LANGUAGES.iter().any(|ending| file.ends_with(ending)) {
            let source = fs::read_to_string(root.join(&file)).unwrap();
            assert_eq!(length(&file, &source), None);
            read.push(file);
        }
    }
    for known in [
        "scripts/client-tests",
        "scripts/train.py",
        "src/service/page/main.js",
    ] {
        assert!(
            read.iter().any(|file| file == known),
            "{known} is not among {read:?}"
        );
    }
}

/// What is said of a file that begins properly and contains `code`.
fn said_of(file: &str, code: &str) -> String {
    complaints(file, &format!("//! A file.\n{code}\n")).join("\n")
}

#[test]
fn upward_and_sideways_imports_are_seen_in_every_form() {
    for (file, code) in [
        ("src/search/tree.rs", "use crate::gtp::line;"),
        (
            "src/search/tree.rs",
            "use crate::{game::point, engine::Engine};",
        ),
        (
            "src/search/tree.rs",
            "use crate::{\n game::{a, b},\n engine,\n};",
        ),
        ("src/search/tree.rs", "fn f() { crate::engine::start(); }"),
        ("src/search/tree.rs", "use super::super::engine::Engine;"),
        ("src/search/mod.rs", "use super::engine::Engine;"),
        (
            "src/search/tree.rs",
            "mod tests { use super::super::super::engine::Engine; }",
        ),
        ("src/gtp/line.rs", "use crate::json::query;"),
        ("src/json/pool.rs", "use crate::service::store;"),
        ("src/sgf/tree.rs", "use crate::clock::budget;"),
    ] {
        assert!(said_of(file, code).contains("imports"), "{file}: {code}");
    }
    assert!(said_of("src/attic/a.rs", "").contains("has no layer"));
    assert!(said_of("src/game/a.rs", "use crate::attic::b;").contains("has no layer"));
}

#[test]
fn downward_imports_and_mere_talk_are_allowed() {
    for (file, code) in [
        ("src/search/tree.rs", "use crate::eval::Evaluator;"),
        ("src/search/tree.rs", "use super::node::Node;"),
        (
            "src/search/tree.rs",
            "mod tests { use super::super::node; }",
        ),
        (
            "src/search/tree.rs",
            "// crate::gtp::line\n/* crate::gtp */",
        ),
        (
            "src/search/tree.rs",
            "const A: &str = \"crate::gtp::line\";",
        ),
        (
            "src/search/tree.rs",
            "const A: &str = r#\"a\" crate::gtp::b\"#;",
        ),
        (
            "src/search/tree.rs",
            "const A: char = '\"'; fn f<'a>(b: &'a str) {}",
        ),
        ("src/service/routes.rs", "use crate::json::query;"),
        ("src/net/kernels/avx2.rs", "unsafe fn f() {}"),
        ("src/net/model.rs", "use candle_core::Tensor;"),
        (
            "src/game/a.rs",
            "use std::thread::{self, JoinHandle}; use a::{spawn};",
        ),
        ("src/search/mod.rs", "fn f() { std::thread::spawn(|| ()); }"),
    ] {
        assert_eq!(said_of(file, code), "", "{file}: {code}");
    }
}

#[test]
fn everything_else_the_plan_forbids_is_seen() {
    let long = "\n".repeat(800);
    let wide = format!("    // {}", "a".repeat(116));
    for (file, code, said) in [
        ("src/game/a.rs", "unsafe fn f() {}", "unsafe"),
        ("src/search/a.rs", "use candle_core::Tensor;", "candle_core"),
        ("src/engine/a.rs", "use serde::Serialize;", "serde"),
        ("src/gtp/a.rs", "fn f() -> anyhow::Result<()> {}", "anyhow"),
        ("src/game/a.rs", "use rayon::prelude::*;", "thread"),
        ("src/game/a.rs", "fn f() { thread::spawn(g); }", "thread"),
        (
            "src/game/a.rs",
            "use std::thread::{Builder, JoinHandle};",
            "thread",
        ),
        ("src/game/a.rs", "fn f() { dbg!(1); }", "dbg"),
        ("src/game/a.rs", "// TO\u{44}O: later", "unfinished"),
        ("tests/a.rs", "#[test]\n#[ignore]\nfn f() {}", "ignore"),
        (
            "tests/a.rs",
            "#[test]\n#[ignore = \"slow\"]\nfn f() {}",
            "ignore",
        ),
        ("tests/a.rs", "fn f() { thread::sleep(x); }", "sleep"),
        ("tests/a.rs", "use std::thread::{self, sleep};", "sleep"),
        (
            "src/game/a.rs",
            "#[cfg(test)] mod tests { thread::sleep(x); }",
            "sleep",
        ),
        ("src/game/a.rs", &long, "lines"),
        ("src/game/a.rs", &wide, "wider"),
    ] {
        assert!(said_of(file, code).contains(said), "{file}: {code}");
    }
    assert!(complaints("src/game/a.rs", "use std::fmt;\n")[0].contains("//!"));
}
