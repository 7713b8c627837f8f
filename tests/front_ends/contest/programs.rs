//! Child processes as opponents. The programs are lines of shell.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use honinbo::match_play::engine_process::EngineProcess;
use honinbo::match_play::gtp_engine::{GtpEngine, GtpEngineError};

/// More than any of these programs needs.
const AMPLE: Duration = Duration::from_secs(60);

/// Answers in the ways a good program may.
const POLITE: &str = r#"
    while read command; do
        case $command in
            name) printf '= Shell\n\n' ;;
            list_commands) printf '= name\r\n  list \r\n\r\n' ;;
            empty) printf '\n=\n\n' ;;
            quit) printf '=\n\n'; exit ;;
            *) printf '? unknown command\n\n' ;;
        esac
    done"#;

fn shell(script: &str) -> EngineProcess {
    EngineProcess::start(&["sh", "-c", script].map(str::to_owned), &Arc::default()).unwrap()
}

fn first_error(script: &str, limit: Duration) -> GtpEngineError {
    shell(script).send("name", limit).unwrap_err()
}

#[test]
fn answers_are_unwrapped() {
    let mut program = shell(POLITE);
    let mut ask = |command| program.send(command, AMPLE);
    assert_eq!(ask("name"), Ok("Shell".to_owned()));
    assert_eq!(ask("list_commands"), Ok("name\n  list".to_owned()));
    assert_eq!(ask("empty"), Ok(String::new()));
    let refused = GtpEngineError::CommandFailed {
        command: "sing".to_owned(),
        response: "unknown command".to_owned(),
    };
    assert_eq!(ask("sing"), Err(refused));
    assert_eq!(ask("name"), Ok("Shell".to_owned()));
}

#[test]
fn a_program_that_does_not_exist_cannot_start() {
    for words in [vec![], vec!["/nonesuch/program".to_owned()]] {
        let error = EngineProcess::start(&words, &Arc::default()).unwrap_err();
        assert!(
            matches!(error, GtpEngineError::StartFailed { .. }),
            "{error}"
        );
    }
}

#[test]
fn the_last_words_of_a_program_are_kept() {
    let error = first_error("read command; echo no network >&2; exit 3", AMPLE);
    let GtpEngineError::Exited {
        command,
        details: last_words,
    } = error
    else {
        panic!("expected a death, found {error}");
    };
    assert_eq!(command, "name");
    assert!(
        last_words.contains("no network") && last_words.contains('3'),
        "{last_words}"
    );
}

#[test]
fn half_an_answer_is_a_death() {
    let error = first_error("read command; echo = Shell", AMPLE);
    assert!(matches!(error, GtpEngineError::Exited { .. }), "{error}");
}

#[test]
fn chatter_is_garbage() {
    let error = first_error("echo welcome; cat > /dev/null", AMPLE);
    let GtpEngineError::InvalidResponse { found, .. } = error else {
        panic!("expected garbage, found {error}");
    };
    assert_eq!(found, "welcome");
}

#[test]
fn a_full_error_pipe_stops_nobody() {
    let noisy = "read command; head -c 1000000 /dev/zero >&2; printf '= done\\n\\n'";
    assert_eq!(shell(noisy).send("name", AMPLE), Ok("done".to_owned()));
}

#[test]
#[cfg(target_os = "linux")]
fn a_hung_program_is_ended() {
    let mut program = shell("exec tail -f /dev/null");
    let process = format!("/proc/{}", program.id());
    assert!(Path::new(&process).exists());
    let limit = Duration::from_millis(10);
    let error = program.send("name", limit).unwrap_err();
    assert!(matches!(error, GtpEngineError::TimedOut { .. }), "{error}");
    drop(program);
    assert!(!Path::new(&process).exists());
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_ends_the_wait_for_an_answer_and_the_program() {
    let words = ["tail", "-f", "/dev/null"].map(str::to_owned);
    let mut program = EngineProcess::start(&words, &Arc::new(AtomicBool::new(true))).unwrap();
    let process = format!("/proc/{}", program.id());
    assert_eq!(
        program.send("name", AMPLE),
        Err(GtpEngineError::Interrupted)
    );
    drop(program);
    assert!(!Path::new(&process).exists());
}

#[test]
fn a_hung_engine_behind_a_script_is_ended_too() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    // The engine alone has the pipe's writing end, which is closed when it is gone, and not before.
    let script = format!("tail -f /dev/null > '{}'; true", pipe.display());
    let mut program = shell(&script);
    let (sender, seen) = channel();
    thread::spawn(move || {
        let mut end = File::open(pipe).unwrap();
        sender.send("it has begun").unwrap();
        end.read_to_end(&mut Vec::new()).unwrap();
        sender.send("it is gone").unwrap();
    });
    assert_eq!(seen.recv_timeout(AMPLE), Ok("it has begun"));
    let limit = Duration::from_millis(10);
    let error = program.send("name", limit).unwrap_err();
    assert!(matches!(error, GtpEngineError::TimedOut { .. }), "{error}");
    drop(program);
    assert_eq!(seen.recv_timeout(AMPLE), Ok("it is gone"));
}
