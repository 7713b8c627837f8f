//! Golden transcripts: the commands in `gtp-tests/*.gtp` and their exact output in `*.out`.
//!
//! A first line `# arguments: ARGUMENTS` replaces the default arguments of the program, [`ARGUMENTS`].

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use honinbo::gtp::command_table::commands;
use honinbo::gtp::line::ParsedLine;

use crate::program::{honinbo, run};

/// Arguments of the program for transcripts that do not name others.
const ARGUMENTS: &str = "--evaluator uniform --threads 1 --visits 32 --seed 1 --memory 64";

/// Commands with responses that change from run to run. Other tests cover them.
const UNREPRODUCIBLE: [&str; 2] = ["cputime", "gomill-cpu_time"];

fn transcripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("gtp-tests");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder of transcripts")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "gtp"))
        .collect();
    files.sort();
    files
}

/// Returns the arguments of the program for a transcript.
fn arguments(file: &Path) -> Vec<String> {
    let text = fs::read(file).expect("a transcript");
    let text = String::from_utf8_lossy(&text);
    let first = text.lines().next().unwrap_or_default();
    let arguments = first.strip_prefix("# arguments: ").unwrap_or(ARGUMENTS);
    arguments.split_whitespace().map(str::to_owned).collect()
}

/// Fails at the first line that differs.
fn compare(file: &Path, answers: &str) {
    let expected = fs::read_to_string(file.with_extension("out")).expect("the answers");
    for (number, (found, wanted)) in answers.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, wanted, "{}, line {}", file.display(), number + 1);
    }
    let (found, wanted) = (answers.lines().count(), expected.lines().count());
    assert_eq!(found, wanted, "number of lines of {}", file.display());
}

#[test]
fn transcripts_cover_every_listed_command() {
    let sent: String = transcripts()
        .iter()
        .map(|file| String::from_utf8_lossy(&fs::read(file).expect("a transcript")).into_owned())
        .collect();
    let sent: HashSet<String> = sent
        .lines()
        .filter_map(|line| ParsedLine::parse(line.as_bytes()))
        .map(|line| line.name)
        .collect();
    for command in
        commands().filter(|command| command.listed && !UNREPRODUCIBLE.contains(&command.name))
    {
        assert!(sent.contains(command.name), "{}", command.name);
    }
}

#[test]
fn program_matches_transcripts_exactly() {
    let write = std::env::var_os("GTP_TESTS_WRITE").is_some();
    let files = transcripts();
    assert!(files.len() >= 6, "found {} transcripts", files.len());
    for file in files {
        let mut program = honinbo(&["gtp"]);
        program
            .args(arguments(&file))
            .args(["--name", "Honinbo", "--version-string", "0.0"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(fs::File::open(&file).expect("a transcript"));
        let run = run(&mut program);
        assert!(
            run.success && run.stderr.is_empty(),
            "{}: {run:?}",
            file.display()
        );
        if write {
            fs::write(file.with_extension("out"), &run.stdout).expect("a writable folder");
        }
        compare(&file, &run.stdout);
    }
}
