//! Architecture tests: imports between modules and files, use of external crates, comments and names.
//!
//! The rules are listed in `tables.rs`; each violation is reported with its location and a way to resolve it.
//!
//! - `tables`: layers, permissions and forbidden words
//! - `rules`: checks of a single file
//! - `cycles`: import cycles between files
//! - `source`: tokens and paths of Rust source

mod cycles;
mod rules;
mod source;
mod tables;

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use rules::{unused_permissions, violations};
use source::SourceFile;

/// All Rust files of the package.
static SOURCES: LazyLock<Vec<SourceFile>> = LazyLock::new(read_sources);

fn read_sources() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = ["src", "tests", "benches"].map(str::to_owned).to_vec();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if path.ends_with(".rs") {
                let text = fs::read_to_string(entry.path()).unwrap();
                sources.push(SourceFile::parse(&path, text));
            }
        }
    }
    sources.sort_by(|a, b| a.file.cmp(&b.file));
    assert!(sources.len() > 20, "only {} files found", sources.len());
    sources
}

#[track_caller]
fn assert_none(violations: &[String]) {
    assert!(
        violations.is_empty(),
        "{} violations of the rules in tests/layers/tables.rs:\n\n{}\n",
        violations.len(),
        violations.join("\n")
    );
}

#[test]
fn documents_name_existing_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = 0;
    for document in ["CONTRIBUTING.md", "README.md", "src/gtp/CLIENTS.md"] {
        let text = fs::read_to_string(root.join(document)).unwrap();
        // Every second part is enclosed in backquotes.
        for quoted in text.split('`').skip(1).step_by(2) {
            let is_path = ["src/", "tests/", "scripts/", "benches/"]
                .iter()
                .any(|folder| quoted.starts_with(folder));
            if is_path && !quoted.contains(['{', '*', ' ', '\n']) {
                assert!(root.join(quoted).exists(), "{document}: {quoted}");
                paths += 1;
            }
        }
    }
    assert!(paths > 10, "only {paths} paths found");
}

#[test]
fn sources_follow_rules() {
    let mut found: Vec<String> = SOURCES.iter().flat_map(violations).collect();
    found.extend(unused_permissions(&SOURCES));
    assert_none(&found);
}

#[test]
fn files_have_no_import_cycles() {
    assert_none(&cycles::violations(&SOURCES));
}

const TREE: &str = "src/search/tree.rs";
const A: &str = "src/game/a.rs";
const B: &str = "src/game/b.rs";
/// A submodule of [`A`].
const A_B: &str = "src/game/a/b.rs";

/// Returns the violations in a file with the given code.
fn violations_in(file: &str, code: &str) -> String {
    let text = format!("//! A file.\n{code}\n");
    violations(&SourceFile::parse(file, text)).join("\n")
}

#[test]
fn reports_upward_and_sideways_imports() {
    for (file, code) in [
        (TREE, "use crate::gtp::line;"),
        (TREE, "use crate::{game::point, engine::Engine};"),
        (TREE, "use crate::{\n game::{a, b},\n engine,\n};"),
        (TREE, "fn f() { crate::engine::start(); }"),
        (TREE, "use super::super::engine::Engine;"),
        ("src/search/mod.rs", "use super::engine::Engine;"),
        (
            TREE,
            "mod tests { use super::super::super::engine::Engine; }",
        ),
        ("src/gtp/line.rs", "use crate::json_analysis::query;"),
        ("src/json_analysis/worker.rs", "use crate::service::store;"),
        ("src/sgf/tree.rs", "use crate::clock::budget;"),
    ] {
        assert!(
            violations_in(file, code).contains("imports"),
            "{file}: {code}"
        );
    }
    assert!(violations_in("src/attic/a.rs", "").contains("has no layer"));
    assert!(violations_in(A, "use crate::attic::b;").contains("has no layer"));
}

#[test]
fn permits_downward_imports_and_literals() {
    for (file, code) in [
        (TREE, "use crate::eval::Evaluator;"),
        (TREE, "use super::node::Node;"),
        (TREE, "mod tests { use super::super::node; }"),
        (TREE, "// crate::gtp::line\n/* crate::gtp */"),
        (TREE, "const A: &str = \"crate::gtp::line\";"),
        (TREE, "const A: &str = r#\"a\" crate::gtp::b\"#;"),
        (TREE, "const A: char = '\"'; fn f<'a>(b: &'a str) {}"),
        ("src/service/routes.rs", "use crate::json_analysis::query;"),
        ("src/net/cpu/avx2.rs", "unsafe fn f() {}"),
        ("src/net/candle/layers.rs", "use candle_core::Tensor;"),
        (A, "use std::thread::{self, JoinHandle}; use a::{spawn};"),
        ("src/search/mod.rs", "fn f() { std::thread::spawn(|| ()); }"),
    ] {
        assert_eq!(violations_in(file, code), "", "{file}: {code}");
    }
}

#[test]
fn reports_other_violations() {
    let wide = format!("    // {}", "a".repeat(116));
    for (file, code, expected) in [
        (A, "unsafe fn f() {}", "unsafe"),
        ("src/search/a.rs", "use candle_core::Tensor;", "candle_core"),
        ("src/engine/a.rs", "use serde::Serialize;", "serde"),
        ("src/gtp/a.rs", "fn f() -> anyhow::Result<()> {}", "anyhow"),
        (A, "use rayon::prelude::*;", "thread"),
        (A, "fn f() { thread::spawn(g); }", "thread"),
        (A, "use std::thread::{Builder, JoinHandle};", "thread"),
        (A, "fn f() { dbg!(1); }", "dbg"),
        (A, "// TO\u{44}O: later", "unfinished"),
        ("tests/a.rs", "#[test]\n#[ignore]\nfn f() {}", "ignore"),
        (
            "tests/a.rs",
            "#[test]\n#[ignore = \"slow\"]\nfn f() {}",
            "ignore",
        ),
        ("tests/a.rs", "fn f() { thread::sleep(x); }", "sleep"),
        ("tests/a.rs", "use std::thread::{self, sleep};", "sleep"),
        (A, "#[cfg(test)] mod tests { thread::sleep(x); }", "sleep"),
        (A, &wide, "wider"),
        (A, "fn rows_of_so_many(n: usize) {}", "so_many"),
        (A, "struct SoManyRows;", "so_many"),
    ] {
        assert!(
            violations_in(file, code).contains(expected),
            "{file}: {code}"
        );
    }
    let without_header = SourceFile::parse(A, "use std::fmt;\n".to_owned());
    assert!(violations(&without_header)[0].contains("//!"));
}

#[test]
fn permits_other_words_and_comments() {
    let code = "fn also_many(n: usize) {} // so_many";
    assert_eq!(violations_in(A, code), "");
}

/// Returns the cycles between files given as pairs of path and code.
fn cycles_between(sources: &[(&str, &str)]) -> String {
    let parse = |&(file, code): &(&str, &str)| SourceFile::parse(file, code.to_owned());
    let sources: Vec<SourceFile> = sources.iter().map(parse).collect();
    cycles::violations(&sources).join("\n")
}

#[test]
fn reports_cycles_between_files() {
    for sources in [
        [
            (A, "use super::b::B;"),
            (B, "fn f() { crate::game::a::g(); }"),
        ],
        [
            ("src/game/a/mod.rs", "mod b;\nuse b::{B, C};\nstruct A;"),
            (A_B, "use super::{A, c};"),
        ],
        [
            (A, "mod b; fn f() { b::g(); }"),
            (A_B, "mod inner { use super::super::A; }"),
        ],
        [
            (A, "use super::b::B;"),
            (B, "fn f() -> impl T + use<> { super::a::g() }"),
        ],
    ] {
        let found = cycles_between(&sources);
        assert!(found.starts_with("import cycle: "), "{sources:?}: {found}");
        assert!(!found.contains('\n'), "{found}");
    }
}

#[test]
fn permits_reexports_and_test_imports() {
    for sources in [
        [
            (A, "mod b; pub use b::B; pub(crate) use self::b::C;"),
            (A_B, "use super::A; use super::super::c::D;"),
        ],
        [
            (A, "use super::b::B;"),
            (B, "#[cfg(test)] mod tests { use super::super::a::A; }"),
        ],
        [
            (A, "use b::B; mod b { } #[cfg(test)] mod tests;"),
            ("src/game/a/tests.rs", "use super::*;"),
        ],
    ] {
        assert_eq!(cycles_between(&sources), "", "{sources:?}");
    }
}
