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

use rules::{unused_permissions, violations};

/// Returns the paths and contents of all Rust files of the package. Paths are relative to the root of the package and
/// contain `/` on all platforms.
fn read_sources() -> Vec<(String, String)> {
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
                let source = fs::read_to_string(entry.path()).unwrap();
                sources.push((path, source));
            }
        }
    }
    sources.sort();
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
fn sources_follow_rules() {
    let sources = read_sources();
    let mut found: Vec<String> = (sources.iter())
        .flat_map(|(file, source)| violations(file, source))
        .collect();
    found.extend(unused_permissions(&sources));
    assert_none(&found);
}

#[test]
fn files_have_no_import_cycles() {
    assert_none(&cycles::violations(&read_sources()));
}

/// Returns the violations in a file with the given code.
fn violations_in(file: &str, code: &str) -> String {
    violations(file, &format!("//! A file.\n{code}\n")).join("\n")
}

#[test]
fn reports_upward_and_sideways_imports() {
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
        assert!(
            violations_in(file, code).contains("imports"),
            "{file}: {code}"
        );
    }
    assert!(violations_in("src/attic/a.rs", "").contains("has no layer"));
    assert!(violations_in("src/game/a.rs", "use crate::attic::b;").contains("has no layer"));
}

#[test]
fn permits_downward_imports_and_literals() {
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
        ("src/net/cpu/avx2.rs", "unsafe fn f() {}"),
        ("src/net/model.rs", "use candle_core::Tensor;"),
        (
            "src/game/a.rs",
            "use std::thread::{self, JoinHandle}; use a::{spawn};",
        ),
        ("src/search/mod.rs", "fn f() { std::thread::spawn(|| ()); }"),
    ] {
        assert_eq!(violations_in(file, code), "", "{file}: {code}");
    }
}

#[test]
fn reports_other_violations() {
    let wide = format!("    // {}", "a".repeat(116));
    for (file, code, expected) in [
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
        ("src/game/a.rs", &wide, "wider"),
        (
            "src/game/a.rs",
            "fn rows_of_so_many(n: usize) {}",
            "so_many",
        ),
        ("src/game/a.rs", "struct SoManyRows;", "so_many"),
    ] {
        assert!(
            violations_in(file, code).contains(expected),
            "{file}: {code}"
        );
    }
    assert!(violations("src/game/a.rs", "use std::fmt;\n")[0].contains("//!"));
}

#[test]
fn permits_other_words_and_words_in_net() {
    for (file, code) in [
        ("src/net/a.rs", "fn rows_of_so_many(n: usize) {}"),
        ("src/game/a.rs", "fn also_many(n: usize) {} // so_many"),
    ] {
        assert_eq!(violations_in(file, code), "", "{file}: {code}");
    }
}

/// Returns the cycles between files given as pairs of path and code.
fn cycles_between(sources: &[(&str, &str)]) -> String {
    let owned = |&(file, code): &(&str, &str)| (file.to_owned(), code.to_owned());
    let sources: Vec<(String, String)> = sources.iter().map(owned).collect();
    cycles::violations(&sources).join("\n")
}

#[test]
fn reports_cycles_between_files() {
    for sources in [
        [
            ("src/game/a.rs", "use super::b::B;"),
            ("src/game/b.rs", "fn f() { crate::game::a::g(); }"),
        ],
        [
            ("src/game/a/mod.rs", "mod b;\nuse b::{B, C};\nstruct A;"),
            ("src/game/a/b.rs", "use super::{A, c};"),
        ],
        [
            ("src/game/a.rs", "mod b; fn f() { b::g(); }"),
            ("src/game/a/b.rs", "mod inner { use super::super::A; }"),
        ],
        [
            ("src/game/a.rs", "use super::b::B;"),
            (
                "src/game/b.rs",
                "fn f() -> impl T + use<> { super::a::g() }",
            ),
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
            (
                "src/game/a.rs",
                "mod b; pub use b::B; pub(crate) use self::b::C;",
            ),
            ("src/game/a/b.rs", "use super::A; use super::super::c::D;"),
        ],
        [
            ("src/game/a.rs", "use super::b::B;"),
            (
                "src/game/b.rs",
                "#[cfg(test)] mod tests { use super::super::a::A; }",
            ),
        ],
        [
            (
                "src/game/a.rs",
                "use b::B; mod b { } #[cfg(test)] mod tests;",
            ),
            ("src/game/a/tests.rs", "use super::*;"),
        ],
    ] {
        assert_eq!(cycles_between(&sources), "", "{sources:?}");
    }
}
