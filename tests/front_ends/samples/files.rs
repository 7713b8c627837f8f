//! Samples from game files: rules, final ownership and selection of games.

use std::path::{Path, PathBuf};

use honinbo::encode::Encoding;
use honinbo::eval::random_playout::RandomPlayout;
use honinbo::game::color::{ByColor, Color};
use honinbo::game::point::{BoardSize, Point};
use honinbo::game::pointset::PointSet;
use honinbo::game::position::Position;
use honinbo::game::rules::{Komi, Rules};
use honinbo::learn::final_ownership::estimate_final_ownership;
use honinbo::learn::game_files;
use honinbo::learn::sample::Sampler;
use honinbo::random::Rng;
use serde_json::Value;

use super::{SETTINGS, run_samples};

fn write_games(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("games.sgf");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn scored_games_use_bonus_and_tax() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| {
        let mut names = Encoding::FULL.global_names();
        names.position(|found| found == name).unwrap()
    };
    // White's bonus points divided by 20: komi, handicap bonus, and under territory scoring Black's additional stone.
    for (rules, komi, tax_all) in [
        ("Japanese", (0.5 + 1.0) / 20.0, 0.0),
        ("AGA", (0.5 + 1.0) / 20.0, 0.0),
        ("Chinese", (0.5 + 2.0) / 20.0, 0.0),
        ("Tromp-Taylor", 0.5 / 20.0, 0.0),
        ("stone-scoring", 0.5 / 20.0, 1.0),
    ] {
        let text = format!("(;SZ[9]KM[0.5]HA[2]AB[cc][gg]RU[{rules}]RE[B+20.5];W[ee];B[ce];W[ec])");
        let mut games = game_files::open_games(&write_games(folder.path(), &text)).unwrap();
        let game = games.next().unwrap().unwrap();
        let samples = Sampler::new(SETTINGS).sample_game(&game, &mut Rng::new(4));
        let first = &samples[0];
        let found = (
            first.globals[place("komi")],
            first.globals[place("tax_all")],
        );
        assert_eq!(found, (komi, tax_all), "{rules}");
    }
}

#[test]
fn ownership_matches_territory_score() {
    let size = BoardSize::new(7, 7).unwrap();
    let column = |column: usize, rows: usize| (0..rows).map(move |row| Point::at(column, row));
    // Black has the left three columns, White the other four. Six black stones are inside Black's area.
    let black: PointSet = column(2, 7).chain(column(0, 6)).collect();
    let white: PointSet = column(3, 7).collect();
    let owned = |rules: &str, lead: i32| {
        let rules = Rules::parse(rules).unwrap();
        let rules = rules.with_komi(Komi::from_half_points(0));
        let stones = ByColor::new(black, white);
        let last = Position::from_stones(size, stones, Color::White, rules).unwrap();
        estimate_final_ownership(&last, lead, &mut RandomPlayout::default(), &mut Rng::new(2))
    };
    let owners = owned("japanese", 2 * (8 - 21)).unwrap();
    assert_eq!(owners[Color::Black].len(), 21);
    assert_eq!(owners[Color::White].len(), 28);
    assert_eq!(owned("tromp-taylor", 2 * (21 - 28)), Some(owners));
    assert_eq!(owned("japanese", 2 * (21 - 28)), None);
    assert_eq!(owned("tromp-taylor", 2 * (8 - 21)), None);
}

fn samples(file: &Path, arguments: &[&str]) -> Result<(Value, Vec<u8>), String> {
    run_samples(&[&["--grid", "5"], arguments].concat(), file)
}

/// Returns the number of bytes after the header.
fn output_len(file: &Path, arguments: &[&str]) -> usize {
    samples(file, arguments).unwrap().1.len()
}

#[test]
fn limit_is_exact() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_games(
        folder.path(),
        &"(;SZ[5]RE[B+R];B[bb];W[cc];B[dd])".repeat(10),
    );
    let all = output_len(&file, &[]);
    for limit in [0, 1, 2, 3, 10, 29, 30, 31] {
        let found = output_len(&file, &["--limit", &limit.to_string()]);
        assert_eq!(found, all / 30 * limit.min(30), "{limit}");
    }
}

#[test]
fn share_of_games_depends_on_seed() {
    let folder = tempfile::tempdir().unwrap();
    let file = write_games(folder.path(), &"(;SZ[5]RE[B+R];B[bb])".repeat(100));
    let all = output_len(&file, &[]);
    let half = |seed| output_len(&file, &["--share", "0.5", "--seed", seed]);
    let counts = ["1", "2", "3"].map(half);
    for count in counts {
        assert_eq!(count % (all / 100), 0);
        assert!((30..=70).contains(&(100 * count / all)), "{count} of {all}");
    }
    assert!(counts[0] != counts[1] || counts[1] != counts[2]);
    assert_eq!(half("1"), counts[0]);
    assert_eq!(output_len(&file, &["--share", "1"]), all);
    let error = samples(&file, &["--share", "0"]).unwrap_err();
    assert!(error.contains("no games"), "{error}");
}
