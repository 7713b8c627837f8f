//! Selection of the built-in networks and of network files.

use std::fs;
use std::io::{Seek, Write};

use crate::program::{honinbo, run};

#[test]
fn classic_network_is_built_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("classic");
    fs::write(&file, "not a network").expect("a writable folder");
    let info = |network: &str| {
        let mut program = honinbo(&["net", "info", network]);
        run(program.current_dir(folder.path()))
    };
    let text = info("classic").printed();
    assert!(
        text.contains("7465") && text.contains("23 planes, 0 global features"),
        "{text}"
    );
    assert!(text.contains("for 16-bit integers"), "{text}");
    for path in ["./classic", file.to_str().expect("a path in Unicode")] {
        info(path).assert_fails(path);
    }
}

#[test]
fn engine_plays_with_classic_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("classic.toml");
    fs::write(&config, "weights = \"classic\"").expect("a writable folder");
    let config = config.to_str().expect("a path in Unicode");
    let play = |selection: [&str; 2]| {
        let mut script = tempfile::tempfile().expect("a file");
        let moves = "genmove b\ngenmove w\n".repeat(2);
        write!(script, "kata-get-models\nboardsize 9\n{moves}quit\n").expect("a writable file");
        script.rewind().expect("a file");
        let limits = ["--threads", "1", "--visits", "20", "--seed", "1"];
        let mut program = honinbo(&["gtp"]);
        program.args(selection).args(limits).stdin(script);
        run(&mut program).printed()
    };
    let output = play(["--weights", "classic"]);
    assert!(
        output.contains("\"classic\"") && !output.contains('?'),
        "{output}"
    );
    assert_eq!(play(["--config", config]), output);
}
