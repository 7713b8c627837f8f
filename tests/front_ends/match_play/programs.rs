//! Engines in child processes. The engines are shell scripts.

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

/// Time limit that these engines never exceed.
const LONG_TIMEOUT: Duration = Duration::from_secs(60);

/// An engine that uses all valid response formats.
const SHELL_ENGINE: &str = r#"
    while read command; do
        case $command in
            name) printf '= Shell\n\n' ;;
            list_commands) printf '= name\r\n  list \r\n\r\n' ;;
            empty) printf '\n=\n\n' ;;
            calibration) printf "= $HONINBO_CALIBRATION\n\n" ;;
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
fn responses_are_parsed() {
    let mut program = shell(SHELL_ENGINE);
    let mut send = |command| program.send(command, LONG_TIMEOUT);
    assert_eq!(send("name"), Ok("Shell".to_owned()));
    assert_eq!(send("list_commands"), Ok("name\n  list".to_owned()));
    assert_eq!(send("empty"), Ok(String::new()));
    assert_eq!(send("calibration"), Ok("wait".to_owned()));
    let error_text = GtpEngineError::CommandFailed {
        command: "sing".to_owned(),
        response: "unknown command".to_owned(),
    };
    assert_eq!(send("sing"), Err(error_text));
    assert_eq!(send("name"), Ok("Shell".to_owned()));
}

#[test]
fn missing_program_cannot_start() {
    for words in [vec![], vec!["/nonesuch/program".to_owned()]] {
        let error = EngineProcess::start(&words, &Arc::default()).unwrap_err();
        assert!(
            matches!(error, GtpEngineError::StartFailed { .. }),
            "{error}"
        );
    }
}

#[test]
fn exit_error_contains_stderr_and_status() {
    let error = first_error("read command; echo no network >&2; exit 3", LONG_TIMEOUT);
    let GtpEngineError::Exited { command, details } = error else {
        panic!("expected an exit, found {error}");
    };
    assert_eq!(command, "name");
    assert!(
        details.contains("no network") && details.contains('3'),
        "{details}"
    );
}

#[test]
fn exit_within_response_is_reported() {
    let error = first_error("read command; echo = Shell", LONG_TIMEOUT);
    assert!(matches!(error, GtpEngineError::Exited { .. }), "{error}");
}

#[test]
fn output_before_commands_is_invalid() {
    let error = first_error("echo welcome; cat > /dev/null", LONG_TIMEOUT);
    let GtpEngineError::InvalidResponse { found, .. } = error else {
        panic!("expected an invalid response, found {error}");
    };
    assert_eq!(found, "welcome");
}

#[test]
fn error_output_is_drained() {
    let noisy = "read command; head -c 1000000 /dev/zero >&2; printf '= done\\n\\n'";
    assert_eq!(
        shell(noisy).send("name", LONG_TIMEOUT),
        Ok("done".to_owned())
    );
}

#[test]
#[cfg(target_os = "linux")]
fn hung_process_is_killed() {
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
fn interrupt_ends_waiting_and_process() {
    let words = ["tail", "-f", "/dev/null"].map(str::to_owned);
    let mut program = EngineProcess::start(&words, &Arc::new(AtomicBool::new(true))).unwrap();
    let process = format!("/proc/{}", program.id());
    assert_eq!(
        program.send("name", LONG_TIMEOUT),
        Err(GtpEngineError::Interrupted)
    );
    drop(program);
    assert!(!Path::new(&process).exists());
}

#[test]
fn hung_child_of_a_script_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let status = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(status.success());
    // Only the engine has the pipe's write end, so that it is closed exactly when the engine exits.
    let script = format!("tail -f /dev/null > '{}'; true", pipe.display());
    let mut program = shell(&script);
    let (sender, events) = channel();
    thread::spawn(move || {
        let mut end = File::open(pipe).unwrap();
        sender.send("started").unwrap();
        end.read_to_end(&mut Vec::new()).unwrap();
        sender.send("ended").unwrap();
    });
    assert_eq!(events.recv_timeout(LONG_TIMEOUT), Ok("started"));
    let limit = Duration::from_millis(10);
    let error = program.send("name", limit).unwrap_err();
    assert!(matches!(error, GtpEngineError::TimedOut { .. }), "{error}");
    drop(program);
    assert_eq!(events.recv_timeout(LONG_TIMEOUT), Ok("ended"));
}
