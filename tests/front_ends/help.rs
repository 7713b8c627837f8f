//! `honinbo help` through the binary.

use std::process::{Command, Output, Stdio};

fn help(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_honinbo"));
    program.arg("help").args(args).output().unwrap()
}

fn text(args: &[&str]) -> String {
    let output = help(args);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the commands that the help lists.
fn names(args: &[&str]) -> Vec<String> {
    let text = text(args);
    let Some((_, listed)) = text.split_once("\nCommands:\n") else {
        return Vec::new();
    };
    let listed = listed.split("\n\n").next().unwrap().lines();
    // Continuation lines of descriptions are indented further.
    let listed = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    listed
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .collect()
}

#[test]
fn reference_contains_all_commands_and_chapters() {
    let page = text(&["--all"]);
    let titles: Vec<&str> = page.lines().filter(|line| line.starts_with("# ")).collect();
    // Commands without subcommands, and all subcommands.
    let commands: Vec<String> = (names(&[]).into_iter())
        .flat_map(|name| match names(&[&name]) {
            none if none.is_empty() => vec![name],
            some => some.iter().map(|inner| format!("{name} {inner}")).collect(),
        })
        .map(|name| format!("# honinbo {name}"))
        .collect();
    assert!(commands.len() >= 12, "{commands:?}");
    let others = ["# Configuration file", "# Environment", "# GTP commands"];
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
fn unknown_command_error_lists_known_ones() {
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
        "honinbo: unknown command \"net\": bench has no subcommands\n"
    );
}

#[test]
fn man_page_and_completions_name_commands() {
    let manual = text(&["--man"]);
    assert!(manual.contains(".TH honinbo 1"));
    // There are no man pages of subcommands.
    assert!(manual.contains(".SH \"HONINBO MATCH\"") && manual.contains("--openings"));
    assert!(!manual.contains("honinbo\\-match(1)"));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(
            text(&["--completions", shell]).contains("selfplay"),
            "{shell}"
        );
    }
}

#[test]
fn piped_client_gets_no_greeting() {
    let output = Command::new(env!("CARGO_BIN_EXE_honinbo"))
        .args(["--evaluator", "uniform", "--threads", "1", "--memory", "64"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(
        output.stdout.is_empty() && output.stderr.is_empty(),
        "{output:?}"
    );
}
