//! Options: where they come from, and which values are refused.

use clap::Parser;

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
fn who_judges_has_no_level() {
    let told = |text: &str| from_toml(text).unwrap().expect_full_level();
    assert!(told("").is_ok() && told("level = 10").is_ok());
    let said = told("level = 9").unwrap_err().to_string();
    assert!(said.contains("found 9"), "{said}");
}

#[test]
fn clients_are_told_the_file_of_the_network_without_its_folder() {
    let model = |text: &str| from_toml(text).unwrap().model();
    assert_eq!(model("weights = \"nets/small.bin.gz\""), "small.bin.gz");
    assert_eq!(model(""), "default");
}

#[test]
fn values_out_of_range_are_refused() {
    let refused = |text: &str| {
        let options = from_toml(text).unwrap();
        options.settings().is_err()
            || options.game_rules().is_err()
            || options.board_size().is_err()
    };
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
        "size = \"1\"",
        "size = \"26\"",
        "size = \"9x\"",
        "level = 0",
        "level = 11",
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
