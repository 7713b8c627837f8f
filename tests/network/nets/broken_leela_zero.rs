//! Broken Leela Zero files: each is rejected with one error that names the line.

use crate::nets::drawn;
use crate::nets::leela_zero;
use crate::nets::{packed, read_leela_zero, rows};
use honinbo::net::error::NetError;
use honinbo::random::Rng;

/// Returns the lines of a valid file with one block.
fn good() -> Vec<String> {
    leela_zero::lines(&drawn::leela_zero(1, false, 1))
}

fn error(lines: &[String]) -> NetError {
    match read_leela_zero(lines.join("\n").as_bytes()) {
        Ok(_) => panic!("a broken file was accepted"),
        Err(error) => error,
    }
}

/// Replaces line `number` of the valid file and checks that the error contains `expected`.
fn assert_error(number: usize, line: &str, expected: &str) {
    let mut lines = good();
    line.clone_into(&mut lines[number - 1]);
    let error = error(&lines).to_string();
    assert!(
        error.contains(expected),
        "line {number}: {error} does not contain {expected}"
    );
}

#[test]
fn invalid_versions_are_rejected() {
    for (version, expected) in [
        ("3", "1 or 2, found 3"),
        ("-1", "1 or 2, found -1"),
        ("1.5", "1 or 2, found 1.5"),
        ("", "1 or 2, found none"),
        ("1 1", "at most 1 numbers, found more"),
        ("one", "a number, found \"one\""),
    ] {
        let expected = format!("line 1 (version): expected {expected}");
        assert_error(1, version, &expected);
    }
}

/// Each row contains the number of a line, the number of zeros that replace its content, and the expected error.
const MISMATCHED: &str = "
2 | 161 | (weights of the first convolution): expected a multiple of 162 numbers (162 per output), found 161
2 | 0 | (weights of the first convolution): expected a multiple of 162 numbers (162 per output), found 0
2 | 162 | line 3 (biases of the first convolution): expected at most 1 numbers, found more
3 | 2 | (biases of the first convolution): expected 3 numbers, found 2
4 | 4 | (means of the first convolution): expected at most 3 numbers, found more
6 | 82 | (weights of block 0 or of the policy head): expected at most 81 numbers, found more
6 | 80 | (weights of the policy's convolution): expected a multiple of 3 numbers (3 per output), found 80
7 | 2 | (biases of block 0, first convolution): expected 3 numbers, found 2
10 | 80 | (weights of block 0, second convolution): expected 81 numbers, found 80
14 | 0 | (weights of the policy's convolution): expected a multiple of 3 numbers (3 per output), found 0
18 | 13284 | (weights of the policy's linear layer, for a 19x19 board): expected 261364 numbers, found 13284
19 | 361 | (biases of the policy's linear layer): expected 362 numbers, found 361
20 | 4 | (weights of the value's convolution): expected a multiple of 3 numbers (3 per output), found 4
24 | 360 | (weights of the value's first linear layer, for a 19x19 board): expected a multiple of 361 numbers
25 | 7 | (biases of the value's first linear layer): expected at most 6 numbers, found more
26 | 5 | (weights of the value's second linear layer
27 | 2 | (biases of the value's second linear layer): expected at most 1 numbers, found more
";

#[test]
fn mismatched_lines_are_rejected() {
    for [number, count, expected] in rows(MISMATCHED) {
        let zeros = vec![0.0; count.parse().unwrap()];
        assert_error(number.parse().unwrap(), &leela_zero::line(zeros), expected);
    }
}

#[test]
fn invalid_numbers_are_rejected() {
    assert_error(
        3,
        "0 nan 0",
        "line 3 (biases of the first convolution): expected finite numbers, found NaN at index 1",
    );
    assert_error(4, "0 0 1e99", "found inf at index 2");
    assert_error(
        5,
        "1 1 -0.5",
        "(variances of the first convolution): expected variances of at least 0, found -0.5 at index 2",
    );
    assert_error(
        8,
        "0 0,5 0",
        "line 8 (means of block 0, first convolution): expected a number, found \"0,5\"",
    );
    assert_error(
        8,
        &"9".repeat(1000),
        "expected a number, found \"99999999999999999999999999999999...\"",
    );
}

#[test]
fn overflow_of_bias_minus_mean_is_rejected() {
    let mut lines = good();
    lines[2] = "0 -3e38 0".to_owned();
    lines[3] = "0 3e38 0".to_owned();
    let error = error(&lines).to_string();
    let expected = "line 5 (variances of the first convolution): \
                    expected norm statistics that give a finite scale and shift";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn missing_and_extra_lines_are_rejected() {
    let good = good();
    for missing in 0..good.len() {
        let mut lines = good.clone();
        lines.remove(missing);
        let text = error(&lines).to_string();
        assert!(text.contains("line "), "{missing}: {text}");
    }
    for kept in 0..good.len() {
        let error = error(&good[..kept]);
        assert!(
            matches!(error, NetError::UnexpectedEnd { .. }),
            "{kept}: {error}"
        );
    }
    let mut lines = good;
    lines.push("0.5".to_owned());
    let text = error(&lines).to_string();
    assert_eq!(
        text,
        "after line 27: expected the end of the file, found \"0.5\""
    );
}

#[test]
fn truncated_files_are_rejected() {
    let file = good().join("\n").into_bytes();
    let small = packed(&file);
    let last_word = file.iter().rposition(u8::is_ascii_whitespace).unwrap() + 1;
    let mut rng = Rng::new(1);
    for (whole, file) in [(last_word + 1, file), (small.len(), small)] {
        read_leela_zero(&file).unwrap();
        let some = (0..6).map(|_| rng.below(whole));
        for cut in (0..300).chain(some).chain(whole - 6..whole) {
            let error = read_leela_zero(&file[..cut]).unwrap_err();
            let plain = matches!(
                error,
                NetError::UnexpectedEnd { .. } | NetError::Layer { .. }
            );
            assert!(plain, "{cut} of {whole}: {error}");
        }
    }
}

#[test]
fn damaged_bytes_never_panic() {
    let file = good().join("\n").into_bytes();
    let mut rng = Rng::new(2);
    let mut refused = 0;
    for _ in 0..25 {
        let mut broken = file.clone();
        for _ in 0..=rng.below(20) {
            let at = rng.below(broken.len());
            broken[at] = rng.below(256) as u8;
        }
        match read_leela_zero(&broken) {
            Ok(net) => assert!(net.checked().is_ok()),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 5, "{refused}");
}
