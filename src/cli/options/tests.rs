//! Options: where they come from, and which values are refused.

use clap::{CommandFactory, Parser};

use super::*;

fn from_toml(text: &str) -> Result<Options, toml::de::Error> {
    toml::from_str(text)
}

#[test]
fn a_file_takes_the_options_by_name_and_refuses_others() {
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
fn the_command_line_goes_before_the_file() {
    let typed = Options {
        visits: Some(7),
        ..Options::default()
    };
    let merged = typed.or(from_toml("visits = 100\nthreads = 2").unwrap());
    assert_eq!((merged.visits, merged.threads), (Some(7), Some(2)));
}

#[test]
fn a_wrong_value_is_told_with_the_file_that_holds_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.toml");
    std::fs::write(&path, "threads = 0\nponder = true").unwrap();
    let said = |told: &str| {
        let mut typed = from_toml(told).unwrap();
        typed.config = Some(path.clone());
        let resolved = typed.resolved().and_then(|options| options.checked());
        format!("{:#}", resolved.unwrap_err())
    };
    let place = place(&path);
    assert_eq!(
        said(""),
        format!("{place}: --threads: expected 1 to 1024, found 0")
    );
    let clash = "--ponder: expected level 10, others do not think meanwhile, found level 3";
    assert_eq!(said("threads = 1\nlevel = 3"), format!("{place}: {clash}"));
    let typed = "--komi: expected a multiple of 0.5 from -400 to 400, found 999";
    assert_eq!(said("threads = 1\nkomi = 999"), typed);
}

#[test]
fn what_the_command_line_makes_idle_in_a_file_is_left_out() {
    let file =
        "weights = \"w\"\nprecision = \"f32\"\nprofile = \"p\"\nlevel = 3\ndepth = 2\nthreads = 1";
    let beside = |told: &str| {
        let told = from_toml(told).unwrap();
        let file = from_toml(file).unwrap().beside(&told);
        told.or(file)
    };
    assert!(
        beside("evaluator = \"uniform\"\nsearch = \"puct\"")
            .evaluators()
            .is_ok()
    );
    assert!(beside("search = \"puct\"").settings().is_ok());
    assert!(beside("search = \"alphabeta\"").settings().is_ok());
    let same = beside("");
    assert!(same.weights.is_some() && same.profile.is_some() && same.precision.is_some());
    assert_eq!((same.level, same.depth), (Some(3), Some(2)));
}

#[test]
fn the_precision_is_told_on_the_command_line_or_in_the_file() {
    let typed = |words: &[&str]| {
        let cli = crate::cli::Cli::try_parse_from([&["honinbo"], words].concat());
        cli.map(|cli| cli.options.precision)
    };
    for precision in Precision::ALL {
        let name = precision.name();
        assert_eq!(typed(&["--precision", name]).unwrap(), Some(precision));
        let written = from_toml(&format!("precision = {name:?}")).unwrap();
        assert_eq!(written.precision, Some(precision));
    }
    assert_eq!(typed(&[]).unwrap(), None);
    assert!(typed(&["--precision", "half"]).is_err());
    let said = from_toml("precision = \"half\"").unwrap_err().to_string();
    assert!(said.contains("expected one of auto, f32, fast"), "{said}");
}

#[test]
fn what_changes_nothing_is_refused_with_the_reason() {
    let options = from_toml("ponder = true\nversion-string = \"1\"").unwrap();
    let idle: [refusals::Idle; 2] = [(&["size"], "a"), (&["seed", "version-string"], "of b")];
    let said = options.expect_none(&idle).unwrap_err().to_string();
    assert_eq!(
        said,
        "--version-string: expected none, for of b, found \"1\""
    );
    assert!(options.expect_none(&idle[..1]).is_ok());
}

#[test]
fn what_a_command_refuses_is_an_option_and_not_in_its_help() {
    use crate::cli::{analysis, play, review, serve};
    let nothing = Options::default();
    let program = crate::cli::Cli::command();
    for (name, idle) in [
        ("analysis", &analysis::IDLE[..]),
        ("play", &play::IDLE),
        ("review", &review::IDLE),
        ("serve", &serve::IDLE),
    ] {
        assert!(nothing.expect_none(idle).is_ok());
        let command = program.find_subcommand(name).unwrap();
        let shown: Vec<&str> = (command
            .get_arguments()
            .filter(|option| !option.is_hide_set()))
        .filter_map(|option| option.get_long())
        .collect();
        assert!(shown.contains(&"threads"), "{name}");
        for option in idle.iter().flat_map(|(names, _)| *names) {
            assert!(!shown.contains(option), "{name} --{option}");
        }
    }
}

#[test]
fn what_is_ignored_is_refused() {
    let refused = |told: anyhow::Result<()>| told.unwrap_err().to_string();
    for evaluator in ["rollout", "uniform"] {
        for (option, value) in [
            ("weights", "w"),
            ("profile", "rank_5k"),
            ("precision", "f32"),
        ] {
            let text = format!("evaluator = {evaluator:?}\n{option} = {value:?}");
            let said = refused(from_toml(&text).unwrap().evaluators().map(drop));
            let expected =
                format!("--{option}: expected --evaluator net with it, found {evaluator}");
            assert_eq!(said, expected);
        }
    }
}

#[test]
fn a_profile_needs_a_network_that_imitates_humans() {
    let options = from_toml("profile = \"rank_5k\"\nthreads = 1").unwrap();
    let said = options.evaluators().map(drop).unwrap_err().to_string();
    let expected = "--profile: expected a net that imitates humans with it, found ";
    assert!(said.starts_with(expected), "{said}");
}

#[test]
fn a_size_in_a_file_is_a_number_or_a_text() {
    let size = |text: &str| from_toml(text).unwrap().board_size().unwrap();
    assert_eq!(size("size = 9"), size("size = \"9\""));
    assert_ne!(size("size = 9"), size("size = \"9x13\""));
    for wrong in ["size = true", "size = 9.5", "size = [9, 13]"] {
        let said = from_toml(wrong).unwrap_err().to_string();
        assert!(said.contains("expected a side"), "{said}");
    }
}

#[test]
fn a_range_is_told_with_both_its_ends() {
    let said = |text: &str| {
        let told = from_toml(text).unwrap().settings();
        told.unwrap_err().to_string()
    };
    assert_eq!(
        said("time = 1e9"),
        "--time: expected seconds from 0.001 to 32000000, found 1000000000"
    );
    assert_eq!(said("level = 300"), "--level: expected 1 to 10, found 300");
}

#[test]
fn clients_are_told_the_file_of_the_network_without_its_folder() {
    let model = |text: &str| from_toml(text).unwrap().model();
    assert_eq!(model("weights = \"nets/small.bin.gz\""), "small.bin.gz");
    assert_eq!(model(""), "default");
}

#[test]
fn values_out_of_range_are_refused() {
    let refused = |text: &str| from_toml(text).unwrap().checked().is_err();
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
        assert!(refused(text), "{text}");
    }
    assert!(!refused(
        "size = \"9x7\"\nrules = \"japanese\"\nkomi = -3.5"
    ));
}

#[test]
fn a_misspelt_option_of_a_file_is_told_what_it_may_have_been() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("honinbo.toml");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Options::read(&path).map_err(|error| error.to_string())
    };
    let error = read("visitz = 5").unwrap_err();
    assert!(
        error.ends_with("found \"visitz\"; did you mean visits?"),
        "{error}"
    );
    assert_eq!(
        read("visits = 5\nversion-string = \"1\"").unwrap().visits,
        Some(5)
    );
}
