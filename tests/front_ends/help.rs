//! `honinbo help` through the binary.

use std::process::{Command, Output};

fn help(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_honinbo"));
    program.arg("help").args(args).output().unwrap()
}

fn text(args: &[&str]) -> String {
    let output = help(args);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that the help lists.
fn names(args: &[&str]) -> Vec<String> {
    let text = text(args);
    let Some((_, listed)) = text.split_once("\nCommands:\n") else {
        return Vec::new();
    };
    let listed = listed.split("\n\n").next().unwrap().lines();
    // Longer texts go on further to the right.
    let listed = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    listed
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .collect()
}

#[test]
fn one_page_holds_everything_that_can_be_told_the_program() {
    let page = text(&["--all"]);
    let titles: Vec<&str> = page.lines().filter(|line| line.starts_with("# ")).collect();
    // Each command of the list, and of the commands those that have none of their own.
    let commands: Vec<String> = (names(&[]).into_iter())
        .flat_map(|name| match names(&[&name]) {
            none if none.is_empty() => vec![name],
            some => some.iter().map(|inner| format!("{name} {inner}")).collect(),
        })
        .map(|name| format!("# honinbo {name}"))
        .collect();
    assert!(commands.len() >= 12, "{commands:?}");
    let others = [
        "# The configuration file",
        "# The environment",
        "# GTP commands",
    ];
    for title in commands.iter().map(String::as_str).chain(others) {
        assert!(titles.contains(&title), "{title} in {titles:?}");
    }
    let listed = |title: &str| {
        let (_, after) = page.split_once(title).unwrap();
        let section = after.split("\n# ").next().unwrap();
        let entries = section
            .lines()
            .filter(|line| line.starts_with("    ") && !line.starts_with("     "));
        entries
            .map(|line| line.trim().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(listed("# GTP commands").contains(&"genmove COLOR".to_owned()));
    assert!(listed("# Search parameters").contains(&"cpuct".to_owned()));
    assert_eq!(listed("# Levels").len(), 10);
    assert!(listed("# Rules").contains(&"tromp-taylor".to_owned()));
}

#[test]
fn one_command_is_explained_and_an_unknown_one_is_answered_with_the_known() {
    assert!(text(&["net", "eval"]).contains("--positions"));
    assert!(text(&[]).contains("Usage: honinbo"));
    let output = help(&["net", "evil"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && error.contains("info, convert, eval"),
        "{error}"
    );
    let error = String::from_utf8(help(&["bench", "net"]).stderr).unwrap();
    assert_eq!(
        error,
        "honinbo: help: expected nothing after bench, found \"net\"\n"
    );
}

#[test]
fn the_manual_page_and_the_completions_name_the_commands() {
    let manual = text(&["--man"]);
    assert!(manual.contains(".TH honinbo 1"));
    // All of it is on this page: there are no others.
    assert!(manual.contains(".SH \"HONINBO MATCH\"") && manual.contains("--openings"));
    assert!(!manual.contains("honinbo\\-match(1)"));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(
            text(&["--completions", shell]).contains("selfplay"),
            "{shell}"
        );
    }
}
