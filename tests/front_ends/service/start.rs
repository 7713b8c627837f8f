//! How the service starts: defaults, messages, and errors.

use std::fs;
use std::net::TcpListener;
use std::process::{Command, Stdio};

use serde_json::json;

use super::{Service, serve};
use crate::program::{honinbo, run};

/// Returns the command `serve` with free ports and without `--db`. The data folder is in `folder`.
fn serve_from(folder: &tempfile::TempDir) -> Command {
    let mut program = honinbo(&["serve", "--evaluator", "uniform", "--threads", "2"]);
    program
        .args(["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"])
        .env("XDG_DATA_HOME", folder.path())
        .env_remove("HONINBO_TOKEN")
        .current_dir(folder.path())
        .stdin(Stdio::null());
    program
}

#[test]
fn games_are_stored_in_the_data_folder_by_default() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.db"), "other").unwrap();
    let mut service = Service::spawn(serve_from(&folder));
    service.page();
    let file = folder.path().join("honinbo/games.db");
    let line = service.error_line();
    assert!(line.contains(file.to_str().unwrap()), "{line}");
    assert!(service.error_line().contains("--db games.db"));
    let goban = json!({"operator": "saveGoban", "goban": "(;B[aa])"});
    assert_eq!(service.client().request(&goban)["new"], true);
    assert!(file.exists());
}

#[cfg(unix)]
#[test]
fn page_is_opened_in_the_browser() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("programs");
    fs::create_dir(&programs).unwrap();
    let name = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    for (script, is_opened) in [("echo \"$1\" > opened", true), ("exit 3", false)] {
        let opener = programs.join(name);
        fs::write(&opener, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
        let mut program = serve_from(&folder);
        program.arg("--open").env("PATH", &programs);
        let mut service = Service::spawn(program);
        let page = service.page();
        if is_opened {
            let opened = folder.path().join("opened");
            let url = || fs::read_to_string(&opened).unwrap_or_default();
            while !url().ends_with('\n') {
                service.client().request(&json!({"operator": "ping"}));
            }
            assert_eq!(url().trim(), format!("http://{page}/"));
        } else {
            let lines = [service.error_line(), service.error_line()].concat();
            assert!(lines.contains("cannot open a browser"), "{lines}");
            assert!(lines.contains(&page), "{lines}");
        }
    }
}

#[test]
fn taken_ports_are_explained() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let port = taken.local_addr().unwrap().port().to_string();
    for options in [
        ["--listen", &address, "--http", "127.0.0.1:0"],
        ["--listen", "127.0.0.1:0", "--http", &address],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let error = run(&mut serve(&folder.path().join("games.db"), &options));
        let option = if options[1] == address {
            "--listen"
        } else {
            "--http"
        };
        error.assert_fails(&format!("port {port} is taken"));
        error.assert_fails(&format!("{option} 127.0.0.1:PORT"));
    }
}
