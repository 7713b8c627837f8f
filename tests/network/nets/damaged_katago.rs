//! Damaged KataGo files: truncated files, files with changed bytes, and files with declared sizes that exceed the data.

use crate::nets::drawn::{self, Extras, KINDS};
use crate::nets::katago::{self, Writer};
use crate::nets::{packed, read_katago};
use honinbo::net::error::NetError;
use honinbo::random::Rng;

fn error(bytes: &[u8]) -> NetError {
    match read_katago(bytes) {
        Ok(_) => panic!("a broken file was accepted"),
        Err(error) => error,
    }
}

/// Returns the offset at which the last word of a text begins.
fn last_word(text: &[u8]) -> usize {
    let end = text.trim_ascii_end().len();
    text[..end]
        .iter()
        .rposition(u8::is_ascii_whitespace)
        .unwrap()
        + 1
}

#[test]
fn truncated_files_are_rejected() {
    let net = drawn::katago(17, Extras::default(), 2, &[0, 4]);
    let (binary, text) = (katago::file(&net, true), katago::file(&net, false));
    // The white space at the end may be missing, and a truncated number is still a valid number.
    let cuts = [
        (binary.len() - 1, 1, binary.clone()),
        (packed(&binary).len(), 7, packed(&binary)),
        (last_word(&text) + 1, 3, text.clone()),
        (packed(&text).len(), 7, packed(&text)),
    ];
    for (whole, step, file) in cuts {
        read_katago(&file).unwrap();
        for cut in (0..whole).step_by(step) {
            let error = error(&file[..cut]);
            // A text file may also end inside a word.
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
    let mut rng = Rng::new(6);
    for binary in [true, false] {
        let file = katago::file(
            &drawn::katago(17, Extras::default(), 2, &[0, 1, 2, 3, 4, 5, 6, KINDS - 1]),
            binary,
        );
        let mut refused = 0;
        for _ in 0..2000 {
            let mut broken = file.clone();
            for _ in 0..=rng.below(3) {
                let at = rng.below(broken.len());
                broken[at] = rng.below(256) as u8;
            }
            match read_katago(&broken) {
                Ok(net) => assert!(net.checked().is_ok()),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 100, "{refused}");
    }
}

/// Writes the beginning of a net with `channels` channels, up to its first block, with all weights zero.
fn start_of_wide_net(channels: usize) -> Writer {
    let mut writer = Writer {
        bytes: Vec::new(),
        binary: true,
        version: 8,
    };
    writer.words(&format!("wide 8 22 19 trunk 1 {channels} 1 1 1 1"));
    writer.words(&format!("stem.conv 1 1 22 {channels} 1 1"));
    writer.numbers(&vec![0.0; 22 * channels]);
    writer.words(&format!("stem.global 19 {channels}"));
    writer.numbers(&vec![0.0; 19 * channels]);
    writer.words(&format!("ordinary_block b0 b0.norm1 {channels} 0.5 0 0"));
    writer.numbers(&vec![0.0; channels]);
    writer.numbers(&vec![0.0; channels]);
    writer.words("b0.act1");
    writer
}

#[test]
fn oversized_layers_are_rejected() {
    let mut writer = start_of_wide_net(16_384);
    let start = writer.bytes.clone();
    writer.words("b0.conv1 19 19 16384 16384 1 1");
    writer.numbers(&[0.0; 8]);
    let text = error(&writer.bytes).to_string();
    let expected = "layer b0.conv1: expected at most 536870912 numbers in the file, found more";
    assert!(text.contains(expected), "{text}");

    writer.bytes = start;
    writer.words("b0.conv1 1 1 16384 16384 1 1");
    writer.numbers(&[0.0; 8]);
    let text = error(&writer.bytes).to_string();
    let expected = "layer b0.conv1: expected 268435456 numbers, found the end of the file";
    assert_eq!(text, expected);
}
