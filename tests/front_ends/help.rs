//! `honinbo help` through the binary.

use std::process::Stdio;

use crate::program::{Run, honinbo, run};

fn help(args: &[&str]) -> Run {
    run(honinbo(&["help"]).args(args))
}

fn text(args: &[&str]) -> String {
    help(args).printed()
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
    let others = [
        "# Ways to play",
        "# Configuration file",
        "# Environment",
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
fn reference_marks_one_rule_set_as_default() {
    let page = text(&["--all"]);
    let (_, rules) = page.split_once("\n# Rules").unwrap();
    let rules = rules.split("\n# ").next().unwrap();
    let marked = "    chinese-ogs\n        default; area scoring, komi 7.5; positional superko";
    assert!(rules.contains(marked), "{rules}");
    assert_eq!(rules.matches("default; ").count(), 1, "{rules}");
}

#[test]
fn unknown_command_error_lists_known_ones() {
    assert!(text(&["net", "eval"]).contains("--positions"));
    assert!(text(&[]).contains("Usage: honinbo"));
    help(&["net", "evil"]).assert_fails("info, convert, eval");
    assert_eq!(
        help(&["bench", "net"]).stderr,
        "honinbo: unknown command \"net\": bench has no subcommands\n"
    );
}

#[test]
fn search_topic_describes_five_ways_to_play() {
    let page = text(&["search"]);
    let commands = page.lines().filter(|line| line.contains(": honinbo gtp"));
    assert_eq!(commands.count(), 5, "{page}");
    for word in ["classic", "rollout", "alphabeta", "minimax", "GNU Go"] {
        assert!(page.contains(word), "{word}");
    }
    help(&["search", "deeper"]).assert_fails("unknown command");
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
    let mut program = honinbo(&["--evaluator", "uniform", "--threads", "1", "--memory", "64"]);
    let run = run(program.stdin(Stdio::null()));
    assert!(run.success, "{run:?}");
    assert!(run.stdout.is_empty() && run.stderr.is_empty(), "{run:?}");
}
