//! Tests of the shared options: sources, precedence, and rejected values.

use clap::{CommandFactory, Parser};

use super::*;
use crate::cli::evaluators::CalibrationMode;

fn from_toml(text: &str) -> Result<Options, toml::de::Error> {
    toml::from_str(text)
}

#[test]
fn config_file_rejects_unknown_options() {
    let options =
        from_toml("visits = 100\nkomi = 6.5\nversion-string = \"1\"\n[param]\ncpuct = 2.0")
            .unwrap();
    assert_eq!((options.visits, options.komi), (Some(100), Some(6.5)));
    assert_eq!(options.settings().unwrap().params.cpuct, 2.0);
    assert!(
        from_toml("visit = 100")
            .unwrap_err()
            .to_string()
            .contains("unknown field `visit`")
    );
    assert!(from_toml("visits = \"many\"").is_err());
}

#[test]
fn command_line_overrides_file() {
    let command_line = Options {
        visits: Some(7),
        ..Options::default()
    };
    let merged = command_line.or(from_toml("visits = 100\nthreads = 2").unwrap());
    assert_eq!((merged.visits, merged.threads), (Some(7), Some(2)));
}

#[test]
fn errors_name_the_config_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.toml");
    std::fs::write(&path, "threads = 0\nponder = true").unwrap();
    let message = |options: &str| {
        let mut command_line = from_toml(options).unwrap();
        command_line.config = Some(path.clone());
        let resolved = command_line
            .with_config_file()
            .and_then(|options| options.validate());
        format!("{:#}", resolved.unwrap_err())
    };
    let context = config_context(&path);
    assert_eq!(
        message(""),
        format!("{context}: --threads must be between 1 and 1024, not 0")
    );
    let ponder_error = "--ponder needs --level 10, not 3";
    assert_eq!(
        message("threads = 1\nlevel = 3"),
        format!("{context}: {ponder_error}")
    );
    let komi_error = "--komi must be a multiple of 0.5 from -400 to 400, not 999";
    assert_eq!(message("threads = 1\nkomi = 999"), komi_error);
}

#[test]
fn overridden_file_options_are_dropped() {
    let file =
        "weights = \"w\"\nprecision = \"f32\"\nprofile = \"p\"\nlevel = 3\ndepth = 2\nthreads = 1";
    let resolve = |text: &str| {
        let command_line = from_toml(text).unwrap();
        let file = from_toml(file).unwrap().without_conflicts(&command_line);
        command_line.or(file)
    };
    assert!(
        resolve("evaluator = \"uniform\"\nsearch = \"puct\"")
            .evaluator_stack(CalibrationMode::Wait)
            .is_ok()
    );
    assert!(resolve("search = \"puct\"").settings().is_ok());
    assert!(resolve("search = \"alphabeta\"").settings().is_ok());
    let unchanged = resolve("");
    assert!(
        unchanged.weights.is_some() && unchanged.profile.is_some() && unchanged.precision.is_some()
    );
    assert_eq!((unchanged.level, unchanged.depth), (Some(3), Some(2)));
}

#[test]
fn precision_is_read_from_both_sources() {
    let parse = |args: &[&str]| {
        let cli = crate::cli::Cli::try_parse_from([&["honinbo"], args].concat());
        cli.map(|cli| cli.options.precision)
    };
    for precision in Precision::ALL {
        let name = precision.name();
        assert_eq!(parse(&["--precision", name]).unwrap(), Some(precision));
        let options = from_toml(&format!("precision = {name:?}")).unwrap();
        assert_eq!(options.precision, Some(precision));
    }
    assert_eq!(parse(&[]).unwrap(), None);
    assert!(parse(&["--precision", "half"]).is_err());
    let message = from_toml("precision = \"half\"").unwrap_err().to_string();
    assert!(
        message.contains("expected one of auto, f32, fast"),
        "{message}"
    );
}

#[test]
fn range_errors_name_option_and_limits() {
    let message = |text: &str| {
        let result = from_toml(text).unwrap().validate();
        result.unwrap_err().to_string()
    };
    for (option, range, values) in [
        ("threads", "1 and 1024", ["-1", "0", "1025"]),
        ("depth", "1 and 60", ["-1", "0", "61"]),
        ("memory", "16 and 16777216 MiB", ["-1", "15", "99999999999"]),
    ] {
        for value in values {
            let unit = if option == "memory" { " MiB" } else { "" };
            assert_eq!(
                message(&format!("search = \"alphabeta\"\n{option} = {value}")),
                format!("--{option} must be between {range}, not {value}{unit}")
            );
        }
    }
    let needs_depth = "--search minimax needs --depth";
    assert_eq!(message("search = \"minimax\""), needs_depth);
    let no_tree = "--depth needs --search alphabeta or minimax";
    assert_eq!(message("depth = 3"), no_tree);
    let no_levels =
        "--level cannot be combined with --search minimax; use --depth to weaken the search";
    let text = "search = \"minimax\"\ndepth = 2\nlevel = 3";
    assert_eq!(message(text), no_levels);
}

#[test]
fn batch_size_is_checked() {
    let batch_size = |text: &str| {
        from_toml(text)
            .unwrap()
            .settings()
            .map(|set| set.batch_size)
    };
    assert_eq!(batch_size("").unwrap(), None);
    assert_eq!(batch_size("batch-size = 8").unwrap(), Some(8));
    for invalid in ["0", "1025"] {
        let error = batch_size(&format!("batch-size = {invalid}")).unwrap_err();
        let expected = format!("--batch-size must be between 1 and 1024, not {invalid}");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn unsupported_options_are_rejected_with_reason() {
    let options = from_toml("ponder = true\nversion-string = \"1\"").unwrap();
    let unsupported: [unsupported::UnsupportedOptions; 2] =
        [(&["size"], "a"), (&["seed", "version-string"], "b")];
    let message = options
        .reject_unsupported(&unsupported)
        .unwrap_err()
        .to_string();
    assert_eq!(message, "--version-string cannot be used here: b");
    assert!(options.reject_unsupported(&unsupported[..1]).is_ok());
}

#[test]
fn unsupported_options_are_hidden() {
    use crate::cli::{analysis, play, review, serve};
    let default_options = Options::default();
    let program = crate::cli::Cli::command();
    for (name, unsupported) in [
        ("analysis", &analysis::UNSUPPORTED_OPTIONS[..]),
        ("play", &play::UNSUPPORTED_OPTIONS),
        ("review", &review::UNSUPPORTED_OPTIONS),
        ("serve", &serve::UNSUPPORTED_OPTIONS),
    ] {
        assert!(default_options.reject_unsupported(unsupported).is_ok());
        let command = program.find_subcommand(name).unwrap();
        let visible: Vec<&str> = (command
            .get_arguments()
            .filter(|option| !option.is_hide_set()))
        .filter_map(|option| option.get_long())
        .collect();
        assert!(visible.contains(&"threads"), "{name}");
        for option in unsupported.iter().flat_map(|(names, _)| *names) {
            assert!(!visible.contains(option), "{name} --{option}");
        }
    }
}

#[test]
fn network_options_need_network_evaluator() {
    let message = |result: anyhow::Result<()>| result.unwrap_err().to_string();
    for evaluator in ["rollout", "uniform"] {
        for (option, value) in [
            ("weights", "w"),
            ("profile", "rank_5k"),
            ("precision", "f32"),
            ("device", "cpu"),
        ] {
            let text = format!("evaluator = {evaluator:?}\n{option} = {value:?}");
            let actual = message(
                from_toml(&text)
                    .unwrap()
                    .evaluator_stack(CalibrationMode::Wait)
                    .map(drop),
            );
            let expected = format!("--{option} needs --evaluator net, not {evaluator}");
            assert_eq!(actual, expected);
        }
    }
}

#[test]
fn profile_needs_human_style_network() {
    let options = from_toml("profile = \"rank_5k\"\nthreads = 1").unwrap();
    let message = options
        .evaluator_stack(CalibrationMode::Wait)
        .map(drop)
        .unwrap_err()
        .to_string();
    let expected = "--profile needs a human-style network; ";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn file_size_is_number_or_text() {
    let size = |text: &str| from_toml(text).unwrap().board_size().unwrap();
    assert_eq!(size("size = 9"), size("size = \"9\""));
    assert_ne!(size("size = 9"), size("size = \"9x13\""));
    for text in ["size = true", "size = 9.5", "size = [9, 13]"] {
        let message = from_toml(text).unwrap_err().to_string();
        assert!(message.contains("expected a board size"), "{message}");
    }
}

#[test]
fn range_errors_name_both_bounds() {
    let message_of = |text: &str| {
        let settings = from_toml(text).unwrap().settings();
        settings.unwrap_err().to_string()
    };
    assert_eq!(
        message_of("time = 1e9"),
        "--time must be between 0.001 and 32000000 seconds, not 1000000000"
    );
    assert_eq!(
        message_of("level = 300"),
        "--level must be between 1 and 10, not 300"
    );
}

#[test]
fn model_name_omits_folder() {
    let model = |text: &str| from_toml(text).unwrap().model_name();
    assert_eq!(model("weights = \"nets/small.bin.gz\""), "small.bin.gz");
    assert_eq!(model("weights = \"classic\""), "classic");
    assert_eq!(model(""), "default");
}

#[test]
fn out_of_range_values_are_rejected() {
    let is_rejected = |text: &str| from_toml(text).unwrap().validate().is_err();
    for text in [
        "threads = 0",
        "visits = 0",
        "time = -1.0",
        "time = nan",
        "resign = 101.0",
        "memory = 1",
        "komi = 0.3",
        "komi = nan",
        "rules = \"nonesuch\"",
        "size = 1",
        "size = \"1\"",
        "size = \"26\"",
        "size = \"9x\"",
        "level = 0",
        "level = 11",
        "ponder = true\nlevel = 9",
        "ponder = true\nsearch = \"alphabeta\"",
        "[param]\nnonesuch = 1.0",
    ] {
        assert!(is_rejected(text), "{text}");
    }
    assert!(!is_rejected(
        "size = \"9x7\"\nrules = \"japanese\"\nkomi = -3.5"
    ));
}

#[test]
fn misspelt_option_gets_suggestion() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("honinbo.toml");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Options::read_config_file(&path).map_err(|error| error.to_string())
    };
    let error = read("visitz = 5").unwrap_err();
    assert!(
        error.contains("unknown option \"visitz\"; did you mean visits? (known: "),
        "{error}"
    );
    assert_eq!(
        read("visits = 5\nversion-string = \"1\"").unwrap().visits,
        Some(5)
    );
}
