//! Architecture rules as tables: the part of this test to edit when a module or a justified exception is added.

/// Top-level modules by layer, lowest first. A module may import modules of lower layers only.
pub const LAYERS: [&[&str]; 10] = [
    &["io", "parallel", "random"],
    &["game"],
    &["sgf", "tactics", "clock"],
    &["encode"],
    &["net"],
    &["eval"],
    &["search"],
    &["engine"],
    &[
        "gtp",
        "json_analysis",
        "service",
        "terminal",
        "review",
        "match_play",
        "learn",
        "bench",
    ],
    &["cli", "main", "lib"],
];

/// Permitted imports between modules of the same layer: importer and imported module.
pub const SIBLING_IMPORTS: [(&str, &str); 3] = [
    // The service uses the fields and games of the JSON analysis engine, and reviews.
    ("service", "json_analysis"),
    ("service", "review"),
    // The command review.
    ("terminal", "review"),
];

/// External crates that only some parts of `src` may use: names of the crates, and path prefixes of the files.
pub const CRATE_USERS: [(&[&str], &[&str]); 13] = [
    (
        &["candle_core", "candle_nn"],
        &["net/candle/", "net/error.rs"],
    ),
    (
        &["clap", "clap_complete", "clap_mangen", "anyhow"],
        &["cli", "main.rs"],
    ),
    (
        &["serde", "serde_json"],
        // Two GTP commands have JSON arguments: rules and parameters. KaTrain writes rules in game files as JSON.
        &[
            "net/",
            "json_analysis/",
            "review/json",
            "service/",
            "learn/",
            "sgf/rules_text",
            "gtp/args",
            "gtp/commands/engine_params",
            "cli",
        ],
    ),
    (&["rusqlite"], &["service/store"]),
    (&["tokio"], &["service/"]),
    (
        &["axum", "futures_util", "hyper", "hyper_util"],
        &["service/http"],
    ),
    (&["subtle"], &["service/dispatcher"]),
    (&["chardetng"], &["sgf/charset"]),
    (&["resvg", "dejavu"], &["review/png"]),
    (
        &["crossterm"],
        &["terminal/full_screen_mode", "terminal/events"],
    ),
    (&["unicode_width"], &["terminal/style"]),
    (
        &["rustix"],
        &["terminal/events", "match_play/process_group"],
    ),
    (
        &["signal_hook"],
        &["terminal/full_screen_mode", "cli/process"],
    ),
];

/// Path prefixes of the files that may start threads. All other code runs on the thread of its caller.
pub const THREAD_STARTERS: [&str; 15] = [
    "bench/",
    "gtp/session",
    "terminal/events",
    "eval/calibration",
    "search/mod.rs",
    "json_analysis/session",
    "review/analysis",
    "review/background_review",
    "service/server",
    "tactics/life",
    "tactics/solver",
    "tactics/transposition_table",
    "match_play/",
    "learn/",
    "cli",
];

/// Path prefix of the files that may contain `unsafe`.
pub const UNSAFE: &str = "net/cpu";

/// Maximum width of a comment line in characters. The formatter does not change comments.
pub const MAX_COMMENT_WIDTH: usize = 122;

/// Words that no identifier in `src` may contain, because a standard term exists. `_` separates consecutive words.
pub const FORBIDDEN_WORDS: [&str; 24] = [
    "ajar",
    "anew",
    "as_many",
    "asked",
    "beside",
    "census",
    "doubt",
    "fight",
    "locale",
    "lesson",
    "nobody",
    "nought",
    "outlook",
    "patience",
    "said",
    "seats",
    "so_many",
    "spoken",
    "tally",
    "told",
    "vocabulary",
    "who",
    "whoever",
    "wish",
];

/// Permitted uses of [`FORBIDDEN_WORDS`]: word and file.
pub const WORD_EXCEPTIONS: [(&str, &str); 3] = [
    ("beside", "src/sgf/convert/tests.rs"),
    ("beside", "src/tactics/life/small_eye_space.rs"),
    // The locale of the environment.
    ("locale", "src/cli/play.rs"),
];
