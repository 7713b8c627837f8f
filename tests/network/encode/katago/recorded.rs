//! Games with inputs computed by KataGo itself. `recorded.txt` describes its format.

use honinbo::encode::katago::{KataInputVersion, KataOptions};
use honinbo::game::point::BoardSize;
use honinbo::game::position::Position;
use honinbo::game::rules::Komi;
use honinbo::game::symmetry::Symmetry;

use super::{encode, play, rules};

const RECORDED: &str = include_str!("recorded.txt");

/// Creates the position of a line `game WIDTH HEIGHT RULES KOMI MOVES...`.
fn position(line: &str) -> Position {
    let mut words = line.split(' ').skip(1);
    let mut next = || words.next().expect("four words before the moves");
    let (width, height) = (next().parse().unwrap(), next().parse().unwrap());
    let (name, komi) = (next(), next().parse().unwrap());
    let rules = rules(name).with_komi(Komi::from_points(komi).unwrap());
    let mut position = Position::new(BoardSize::new(width, height).unwrap(), rules);
    play(&mut position, &words.collect::<Vec<_>>().join(" "));
    position
}

/// Parses pairs such as `3:VALUE 5:VALUE`.
fn pairs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(|pair| {
        let (index, value) = pair.split_once(':').expect("an index and a value");
        (index.parse().unwrap(), value)
    })
}

#[test]
fn inputs_match_katago_recordings() {
    let mut position_so_far = None;
    let (mut games, mut compared) = (0, 0);
    for line in RECORDED.lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with("game") {
            position_so_far = Some(position(line));
            games += 1;
            continue;
        }
        let position = position_so_far.as_ref().expect("a game before its inputs");
        let (version, rest) = line.trim().split_once(' ').unwrap();
        let inputs = KataInputVersion::from_number(version[1..].parse().unwrap()).unwrap();
        let (planes, globals) = rest.split_once('|').unwrap();
        let area = position.size().area();
        let mut expected = vec![0.0; inputs.plane_count() * area];
        for (plane, digits) in pairs(planes) {
            let bits = u128::from_str_radix(digits, 16).unwrap();
            for (i, value) in expected[plane * area..][..area].iter_mut().enumerate() {
                *value = f32::from(u8::from(bits >> (area - 1 - i) & 1 == 1));
            }
        }
        let mut expected_globals = vec![0.0_f32; inputs.global_count()];
        for (global, value) in pairs(globals) {
            expected_globals[global] = value.parse().unwrap();
        }
        let (found, found_globals) =
            encode(inputs, position, Symmetry::IDENTITY, KataOptions::default());
        for (plane, named) in inputs.planes().enumerate() {
            let part = plane * area..(plane + 1) * area;
            let name = named.name;
            assert_eq!(
                found[part.clone()],
                expected[part],
                "{name}, {inputs:?}, game {games}"
            );
        }
        for (found, expected) in found_globals.iter().zip(&expected_globals) {
            assert!(
                (found - expected).abs() < 1e-6,
                "{found_globals:?} instead of {expected_globals:?}, {inputs:?}, game {games}"
            );
        }
        compared += 1;
    }
    assert_eq!((games, compared), (26, 5 * 26));
}
