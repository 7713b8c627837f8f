//! Player profiles of human-style networks, compared with values computed by hand.

use honinbo::encode::katago::player_profile::{Date, GameSource, PROFILE_LEN, Profile, Rank};
use honinbo::game::color::Color;

fn numbers(profile: &Profile, to_move: Color, area: usize) -> Vec<f32> {
    let mut numbers = vec![9.0; PROFILE_LEN];
    profile.encode(to_move, area, &mut numbers);
    numbers
}

fn named(name: &str) -> Profile {
    name.parse().unwrap()
}

#[track_caller]
fn assert_near(found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (f64::from(*found) - expected).abs() < 1e-6,
            "expected {expected}, found {found}"
        );
    }
}

#[test]
fn encodes_amateur_profile() {
    let found = numbers(&named("rank_20k_1d"), Color::Black, 361);
    assert_eq!(found[..6], [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    // A rank is encoded as a number of leading ones: 29 for 20 kyu, and 9 for 1 dan.
    let steps = |from: usize| found[from..from + 34].iter().sum::<f32>();
    assert_eq!((steps(6), steps(40)), (29.0, 9.0));
    assert!(found[6..35].iter().chain(&found[40..49]).all(|&v| v == 1.0));
    assert_eq!(found[74], 0.5);
    assert_eq!(found[75..82], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    // 20 minutes and five periods of 30 seconds: 0.4 (ln 1260 - 6.5), 0.3 (ln 31 - 3), 0.5 (ln 7 - 1.5), 0.25 (ln 2 -
    // 1.5).
    assert_near(
        &found[82..87],
        &[
            0.255_546_663,
            0.130_196_161,
            0.222_955_075,
            -0.201_713_205,
            0.0,
        ],
    );
    // 1 March 2020 was day 18,322 and a Sunday, three weekdays after Thursday, 1 January 1970.
    let week = std::f64::consts::TAU * 3.0 / 7.0;
    assert_near(&found[87..89], &[week.cos(), week.sin()]);
    let half_million = std::f64::consts::TAU * 18_322.0 / 560_000.0;
    assert_near(&found[149..151], &[half_million.cos(), half_million.sin()]);
    assert_eq!(found[153], 1.0);
    assert_eq!(found[151..].iter().sum::<f32>(), 1.0);
    // From White's perspective the ranks are exchanged. The board is small.
    let found = numbers(&named("rank_20k_1d"), Color::White, 81);
    assert_eq!(found[6..40].iter().sum::<f32>(), 9.0);
    assert_near(&found[86..87], &[0.5 * (81.0_f64 / 361.0).ln()]);
}

#[test]
fn names_determine_rank_date_and_source() {
    let rank = |name| named(name).ranks.unwrap()[Color::Black];
    assert_eq!(rank("rank_9d"), Rank(1));
    assert_eq!(rank("preaz_1d"), Rank(9));
    assert_eq!(rank("preaz_1k"), Rank(10));
    assert_eq!(rank("rank_20k"), Rank(29));
    assert_eq!(named("preaz_5k_3d").ranks.unwrap()[Color::White], Rank(7));
    assert_eq!(
        named("rank_1d").date,
        Date::first_of_month(2020, 3).unwrap()
    );
    assert_eq!(
        named("preaz_1d").date,
        Date::first_of_month(2016, 9).unwrap()
    );
    let professional = named("proyear_1800");
    assert_eq!(professional.date, Date::first_of_month(1800, 6).unwrap());
    assert!(professional.is_rated && professional.time_control.is_none());
    assert_eq!(professional.source, GameSource::GoGod);
    assert_eq!(named("proyear_2020").source, GameSource::GoGod);
    assert_eq!(named("proyear_2021").source, GameSource::Go4Go);
    assert_eq!(named(""), Profile::default());
    assert_eq!(named("_"), Profile::default());
}

#[test]
fn rejects_invalid_names() {
    for name in [
        "rank",
        "rank_",
        "rank_10d",
        "rank_0k",
        "rank_21k",
        "rank_05k",
        "rank_+5k",
        "rank_5",
        "rank_5k_",
        "rank_5k_5k_5k",
        "preaz_5p",
        "proyear_1799",
        "proyear_2024",
        "proyear_",
        "5k",
        "Rank_5k",
        "rank_5k ",
        "é",
    ] {
        let error = name.parse::<Profile>().unwrap_err();
        assert_eq!(error.found, name);
        assert!(error.to_string().starts_with("unknown profile "));
    }
}

#[test]
fn days_count_from_1970() {
    let number = |year, month| Date::first_of_month(year, month).map(Date::days_since_unix_epoch);
    assert_eq!(number(1970, 1), Some(0));
    assert_eq!(number(1970, 3), Some(59));
    assert_eq!(number(1969, 12), Some(-31));
    assert_eq!(number(2000, 3), Some(11_017));
    assert_eq!(number(2016, 9), Some(17_045));
    assert_eq!(number(2020, 3), Some(18_322));
    assert_eq!(number(1800, 6), Some(-61_940));
    assert_eq!(number(1, 1), Some(-719_162));
    assert_eq!(
        (number(2020, 0), number(2020, 13), number(0, 1)),
        (None, None, None)
    );
}

#[test]
fn encodes_professional_profile() {
    let found = numbers(&named("proyear_2021"), Color::Black, 361);
    assert_eq!(found[..6], [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(found[6..40], found[40..74]);
    assert_eq!((found[6], found[7..40].iter().sum::<f32>()), (1.0, 0.0));
    assert_eq!(found[74..82], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_near(
        &found[82..86],
        &[
            0.4 * (60.0_f64.ln() - 6.5),
            0.3 * -3.0,
            0.5 * (2.0_f64.ln() - 1.5),
            0.25 * (2.0_f64.ln() - 1.5),
        ],
    );
    assert_eq!(found[157], 1.0);
}

#[test]
fn default_profile_is_unknown_player() {
    let found = numbers(&Profile::default(), Color::White, 361);
    assert_eq!(found[..6], [1.0, 1.0, 0.0, 0.0, 1.0, 1.0]);
    assert_eq!(found[6..74], [0.0; 68]);
    assert_eq!(found[74..76], [0.5, 1.0]);
    assert_eq!(found[151], 1.0);
}
