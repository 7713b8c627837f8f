//! Broken KataGo files: each is rejected with one error that names the layer.

use crate::nets::drawn::{self, CHANNELS, Draw, Extras, KINDS};
use crate::nets::katago;
use crate::nets::{edited, packed, read_katago, rows};
use honinbo::net::error::NetError;
use honinbo::net::spec::NetSpec;

const ALL: [usize; KINDS] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Returns a net with every optional part of the format.
fn full() -> NetSpec {
    let extras = Extras {
        rms: Some(true),
        profile: true,
        ..Extras::default()
    };
    drawn::katago(17, extras, 1, &ALL)
}

fn error(bytes: &[u8]) -> NetError {
    match read_katago(bytes) {
        Ok(_) => panic!("a broken file was accepted"),
        Err(error) => error,
    }
}

/// Replaces the first `from` in the text file of `net` and checks that the error contains all of `parts`.
fn assert_error(net: &NetSpec, from: &str, to: &str, parts: &[&str]) {
    let error = error(edited(&katago::text(net), from, to).as_bytes()).to_string();
    for part in parts {
        assert!(
            error.contains(part),
            "{from:?} -> {to:?}: {error} does not contain {part}"
        );
    }
}

#[test]
fn valid_file_is_accepted() {
    assert!(read_katago(&katago::file(&full(), false)).unwrap() == full());
}

/// Changes to the file of the full net: the text to replace, its replacement, and the expected error.
const HEADERS: &str = r#"
drawn-1 17 | drawn-1 18 | layer drawn-1: expected a version from 3 to 17, found 18
drawn-1 17 | drawn-1 2 | expected a version from 3 to 17, found 2
drawn-1 17 | drawn-1 -17 | expected a version from 3 to 17, found "-17"
drawn-1 17 | drawn-1 bin | expected a version from 3 to 17, found "bin"
17 22 19 | 17 13 19 | layer drawn-1: expected 22 planes, found 13
17 22 19 | 17 22 -19 | layer drawn-1: expected 19 global inputs, found "-19"
20.0 | 0 | a number above 0 and at most 1000000 as multiplier of the score's differences, found 0
20.0 | inf | a number above 0 and at most 1000000 as multiplier of the score's differences, found inf
20.0 | NaN | a number above 0 and at most 1000000 as multiplier of the score's differences, found NaN
20.0 | 2e6 | a number above 0 and at most 1000000 as multiplier of the score's differences, found 2000000
1 0 0 0 0 0 0 0 | 2 0 0 0 0 0 0 0 | layer drawn-1: expected 0 or 1 for a profile, found 2
1 0 0 0 0 0 0 0 | 1 3 0 0 0 0 0 0 | 0 or 1 for areas as if suicide were legal, found 3
1 0 0 0 0 0 0 0 | 1 0 0 0 0 0 0 1 | expected 0 for an unknown option, found 1
trunk 8 4 | trunk 0 4 | layer trunk: expected 1 to 512 blocks, found 0
trunk 8 4 | trunk -8 4 | layer trunk: expected 1 to 512 blocks, found "-8"
trunk 8 4 | trunk 513 4 | layer trunk: expected 1 to 512 blocks, found 513
trunk 8 4 | trunk 8 16385 | layer trunk: expected 1 to 16384 channels, found 16385
trunk 8 4 9 9 0 9 | trunk 8 4 9 9 x 9 | layer trunk: expected the number of dilated channels, found "x"
9 0 9 1 0 0 | 9 0 9 2 0 0 | layer trunk: expected 0 or 1 for an RMS norm at the end, found 2
stem.profile 192 | stem.profile 191 | layer stem.profile: expected 192 inputs, found 191
policy 2 0 0 0 | policy 3 0 0 0 | layer policy: expected 2 or 4 policy channels, found 3
policy 2 0 0 0 | policy 2 0 1 0 | layer policy: expected 0 for an unknown option, found 1
value 0 0 0 | value 0 0 -1 | layer value: expected 0 for an unknown option, found -1
"#;

/// Like `HEADERS`, for errors that name the layer at the beginning of the line.
const LAYERS: &str = r#"
stem.conv 3 3 22 4 1 1 | stem.conv 3 3 21 4 1 1 | expected 22 inputs, found 21
stem.conv 3 3 22 4 1 1 | stem.conv 3 3 22 5 1 1 | expected 4 outputs, found 5
stem.conv 3 3 22 4 1 1 | stem.conv 4 3 22 4 1 1 | expected a kernel with odd sides, found 4
stem.conv 3 3 22 4 1 1 | stem.conv 3 21 22 4 1 1 | 1 to 19 rows or columns of a kernel
stem.conv 3 3 22 4 1 1 | stem.conv 3 3 22 4 2 1 | expected a row dilation of 1, found 2
stem.conv 3 3 22 4 1 1 | stem.conv 3 3 22 4 1 2 | expected a column dilation of 1, found 2
stem.conv 3 3 22 4 | stem.conv 3 3 22 99999999999999999999 | expected 4 outputs
stem.global 19 4 | stem.global 18 4 | expected 19 inputs, found 18
profile.first.bias 3 | profile.first.bias 4 | expected 3 channels, found 4
profile.out 2 4 | profile.out 2 3 | expected 4 outputs, found 3
b0.norm1 4 | b0.norm1 5 | expected 4 channels, found 5
b0.conv1 3 3 4 5 | b0.conv1 3 3 4 -5 | expected 1 to 16384 outputs, found "-5"
b0.conv1 3 3 4 5 | b0.conv1 3 3 4 4294967301 | expected 1 to 16384 outputs, found 4294967301
b0.conv2 1 3 5 4 | b0.conv2 1 3 5 3 | expected 4 outputs, found 3
b1.pool_linear 6 5 | b1.pool_linear 4 5 | expected 6 inputs, found 4
b1.pool_linear 6 5 | b1.pool_linear 6 4 | expected 5 outputs, found 4
b2 4 2 6 5 0 0 | b2 4 3 6 5 0 0 | expected a number of key heads that divides 4, found 3
b2 4 2 6 5 0 0 | b2 0 2 6 5 0 0 | expected 1 to 64 query heads, found 0
b2 4 2 6 5 0 0 | b2 4 2 8192 5 0 0 | expected 1 to 16 numbers per query, found 8192
b2.norm 4 0.000001 | b2.norm 4 0 | at most 1 as epsilon, found 0
b2.norm 4 0.000001 | b2.norm 4 1.5 | at most 1 as epsilon, found 1.5
b2.key 4 12 | b2.key 4 24 | expected 12 outputs, found 24
b3 4 2 6 5 1 0 | b3 4 2 7 5 1 0 | expected an even number of channels per query (needed for the rotation), found 7
b3.theta 100 | b3.theta -100 | expected a number above 0 as base, found -100
b4.angles 2 3 2 | b4.angles 4 3 2 | expected 2 heads, found 4
b4.angles 2 3 2 | b4.angles 2 3 1 | expected 2 directions, found 1
b6 4 7 1 | b6 4 7 0 | expected a gate
b6.gate 4 7 | b6.gate 4 6 | expected 7 outputs, found 6
b7 7 | b7 0 | expected 1 to 512 blocks, found 0
b7.0.norm1 3 | b7.0.norm1 4 | expected 3 channels, found 4
b7.up 1 1 3 4 | b7.up 1 1 3 3 | expected 4 outputs, found 3
tip.norm 4 0.000001 1 0 | tip.norm 4 0.000001 1 2 | expected 0 as the size of groups, found 2
policy.out 1 1 3 2 | policy.out 1 1 3 1 | expected 2 outputs, found 1
policy.pass.hidden 6 3 | policy.pass.hidden 6 2 | expected 3 outputs, found 2
value.result 5 3 | value.result 5 1 | expected 3 outputs, found 1
value.score 5 6 | value.score 5 4 | expected 6 outputs, found 4
value.ownership 1 1 2 1 | value.ownership 1 1 2 2 | expected 1 outputs, found 2
"#;

#[test]
fn invalid_headers_are_rejected() {
    for [from, to, expected] in rows(HEADERS) {
        assert_error(&full(), from, to, &[expected]);
    }
}

#[test]
fn mismatched_layers_are_rejected() {
    for [from, to, expected] in rows(LAYERS) {
        let layer = from.split_whitespace().next().unwrap();
        assert_error(&full(), from, to, &[&format!("layer {layer}: "), expected]);
    }
}

#[test]
fn unknown_kinds_are_rejected() {
    let blocks = "one of ordinary_block, gpool_block, nested_bottleneck_block, transformer_attention_block, \
                  transformer_ffn_block, found \"dilated_block\"";
    for (from, to, expected) in [
        (
            "ordinary_block b0",
            "dilated_block b0",
            &["after layer profile.out: ", blocks],
        ),
        (
            "gpool_block b1",
            "dilated_block b1",
            &["after layer b0.conv2: ", blocks],
        ),
        (
            "b0.act1\nACTIVATION_",
            "b0.act1\nACTIVATION_GE",
            &[
                "layer b0.act1: ",
                "expected one of ACTIVATION_IDENTITY, ACTIVATION_RELU",
            ],
        ),
    ] {
        assert_error(&full(), from, to, expected);
    }
}

/// Returns `text` with one number replaced: the one at `index` in the first group after the layer `name`.
fn with_number(text: &str, name: &str, index: usize, number: &str) -> String {
    let layer = text.find(name).unwrap();
    let group = layer + text[layer..].find('\n').unwrap() + 1;
    let end = group + text[group..].find('\n').unwrap();
    let mut words: Vec<&str> = text[group..end].split(' ').collect();
    words[index] = number;
    format!("{}{}{}", &text[..group], words.join(" "), &text[end..])
}

#[test]
fn invalid_numbers_are_rejected() {
    let text = katago::text(&full());
    for (name, index, number, expected) in [
        (
            "stem.conv",
            7,
            "NaN",
            "layer stem.conv: expected finite numbers, found NaN at index 7",
        ),
        (
            "b4.angles",
            0,
            "inf",
            "layer b4.angles: expected finite numbers, found inf at index 0",
        ),
        (
            "policy.pass.hidden.bias",
            2,
            "-1e39",
            "found -inf at index 2",
        ),
        (
            "value.ownership",
            1,
            "0.5x",
            "layer value.ownership: expected a number, found \"0.5x\"",
        ),
        (
            "b0.norm1",
            1,
            "@BIN@",
            "layer b0.norm1: expected a number, found \"@BIN@\"",
        ),
    ] {
        let broken = with_number(&text, name, index, number);
        let error = error(broken.as_bytes()).to_string();
        assert!(error.contains(expected), "{name}: {error}");
    }
    let net = drawn::katago(8, Extras::default(), 1, &[0]);
    let variance = (1.0 - katago::EPSILON).to_string();
    let parts = [
        "layer b0.norm1: expected variances of at least 0, found -",
        " at index 0",
    ];
    assert_error(&net, &variance, &format!("-{variance}"), &parts);
    assert_error(
        &net,
        "b0.norm1 4 0.0009765625",
        "b0.norm1 4 0",
        &["layer b0.norm1: ", "epsilon, found 0"],
    );
    let fewer = edited(&katago::text(&net), &format!("{variance} "), "");
    assert!(read_katago(fewer.as_bytes()).is_err());
}

#[test]
fn invalid_binary_numbers_are_rejected() {
    let file = katago::file(&full(), true);
    let place = |of: &[u8]| {
        file.windows(of.len())
            .position(|bytes| bytes == of)
            .unwrap()
    };
    let mut broken = file.clone();
    broken[place(b"b0.conv1") + 23] = b'X';
    let text = error(&broken).to_string();
    assert_eq!(text, "layer b0.conv1: expected @BIN@, found \"@BXN@\"");
    let mut broken = file.clone();
    let numbers = place(b"tip.norm") + "tip.norm 4 0.000001 1 0\n@BIN@".len();
    broken[numbers + 8..numbers + 12].copy_from_slice(&f32::NAN.to_le_bytes());
    let text = error(&broken).to_string();
    assert_eq!(
        text,
        "layer tip.norm: expected finite numbers, found NaN at index 2"
    );
}

#[test]
fn trailing_data_is_rejected() {
    for (binary, rubbish) in [(true, &b"x"[..]), (false, b" 0.5\n"), (true, b"@BIN@1234")] {
        let mut file = katago::file(&full(), binary);
        file.extend(rubbish);
        for error in [error(&file), error(&packed(&file))] {
            let text = error.to_string();
            let expected = "after layer value.ownership: expected the end of the file, found ";
            assert!(text.starts_with(expected), "{text}");
        }
    }
}

#[test]
fn missing_block_is_reported_after_previous_layer() {
    for binary in [true, false] {
        let mut file = katago::file(&full(), binary);
        let kind = b"gpool_block";
        let start = file.windows(kind.len()).position(|bytes| bytes == kind);
        file.truncate(start.expect("a block with global pooling") + kind.len());
        assert_eq!(
            error(&file).to_string(),
            "after layer b0.conv2: expected the name of a block, found the end of the file"
        );
    }
}

#[test]
fn nesting_depth_and_block_count_are_limited() {
    let mut draw = Draw::new(3, true);
    let mut net = drawn::katago(17, Extras::default(), 1, &[0]);
    let mut inner = draw.block(5, 3);
    for _ in 0..3 {
        inner = draw.nested(3, vec![inner]);
    }
    net.blocks = vec![draw.nested(CHANNELS, vec![inner.clone()])];
    assert!(read_katago(&katago::file(&net, true)).unwrap() == net);
    inner = draw.nested(3, vec![inner]);
    net.blocks = vec![draw.nested(CHANNELS, vec![inner])];
    let text = error(&katago::file(&net, true)).to_string();
    assert_eq!(
        text,
        "layer b0.0.0.0.0: expected blocks nested at most 4 levels deep, found more"
    );

    let inner = vec![draw.block(5, 3); 300];
    let block = draw.nested(CHANNELS, inner);
    net.blocks = vec![block.clone(), block];
    let text = error(&katago::file(&net, true)).to_string();
    assert!(
        text.contains("after layer b1.209.out: expected at most 512 blocks"),
        "{text}"
    );
}
