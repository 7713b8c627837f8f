//! Recognition of file formats by content.

use std::fs;
use std::path::PathBuf;

use crate::nets::drawn::{self, Extras};
use crate::nets::{katago, leela_zero, packed, read_katago};
use honinbo::net::error::NetError;
use honinbo::net::formats::detection::Format;
use honinbo::net::formats::honinbo::from_bytes;
use honinbo::net::formats::read;
use honinbo::net::formats::stream::Stream;

fn detect(bytes: &[u8]) -> Result<Format, NetError> {
    Format::detect(&mut Stream::new(bytes).unwrap())
}

fn own() -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/net/tiny.safetensors");
    fs::read(path).unwrap()
}

#[test]
fn formats_are_recognised_by_content() {
    let kata = drawn::katago(8, Extras::default(), 1, &[0]);
    let leela = leela_zero::lines(&drawn::leela_zero(1, false, 1)).join("\n");
    for (expected, bytes) in [
        (Format::Honinbo, own()),
        (Format::KataGo, katago::file(&kata, true)),
        (Format::KataGo, katago::file(&kata, false)),
        (Format::LeelaZero, leela.into_bytes()),
        // The name may be a number, and so may all weights.
        (Format::KataGo, b"1\n8\n22\n19\n".to_vec()),
        (Format::KataGo, b"1 8 22 19\n".to_vec()),
        (Format::LeelaZero, b"1\n8 22 19\n".to_vec()),
        (Format::LeelaZero, b"2\r\n-1 0 0.5e-3\r\n".to_vec()),
        // Unknown versions are rejected later, by the reader.
        (Format::KataGo, b"net 99 22 19\n".to_vec()),
        (Format::LeelaZero, b"3\n0.5 0.5\n".to_vec()),
    ] {
        assert_eq!(detect(&bytes).unwrap(), expected);
        assert_eq!(detect(&packed(&bytes)).unwrap(), expected);
    }
}

#[test]
fn unknown_formats_are_rejected() {
    for (bytes, shown) in [
        (&b""[..], "an empty file"),
        (b"\n\n", r#""\n\n""#),
        (b"1", r#""1""#),
        (b"(;GM[1]SZ[19];B[pd])", "GM[1]"),
        (b"name 8 x", r#""name 8 x""#),
        (b"name - -", r#""name - -""#),
        (b"\x89PNG\r\n\x1a\n0123", r"\x89PNG"),
        (b"\x10\0\0\0\0\0\0\0[", r"\x10\x00"),
        (b"\0\0\0\0\0\0\0\x01{", r"\x00\x00"),
    ] {
        for error in [
            detect(bytes).unwrap_err(),
            detect(&packed(bytes)).unwrap_err(),
        ] {
            let text = error.to_string();
            assert!(matches!(error, NetError::UnknownFormat(_)), "{text}");
            assert!(
                text.contains("expected a network") && text.contains(shown),
                "{text}"
            );
        }
    }
}

#[test]
fn broken_gzip_file_is_rejected() {
    let mut bytes = packed(&own());
    bytes[2] = 9;
    let error = detect(&bytes).unwrap_err();
    assert!(matches!(error, NetError::Stream { .. }), "{error}");
    let error = detect(&packed(&own())[..8]).unwrap_err();
    assert!(matches!(error, NetError::UnexpectedEnd { .. }), "{error}");
}

#[test]
fn gzip_padding_is_skipped_and_members_joined() {
    let mut filled = packed(&own());
    filled.extend([0; 300]);
    assert_eq!(detect(&filled).unwrap(), detect(&own()).unwrap());
    let kata = katago::file(&drawn::katago(16, Extras::default(), 1, &[1]), true);
    let (one, other) = kata.split_at(kata.len() / 2);
    for end in [&b""[..], &[0; 4], b"\x1f"] {
        let parts = [packed(one), packed(other), end.to_vec()].concat();
        assert!(read_katago(&parts).unwrap() == read_katago(&kata).unwrap());
    }
    let damaged = [packed(one), b"\x1f\x8b".to_vec()].concat();
    assert!(read_katago(&damaged).is_err());
}

#[test]
fn file_name_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let kata = drawn::katago(16, Extras::default(), 1, &[1]);
    let leela = drawn::leela_zero(1, true, 1);
    let leela_text = leela_zero::lines(&leela).join("\n");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let path = write("kata.safetensors", &packed(&katago::file(&kata, true)));
    assert!(read(&path).unwrap() == kata);
    let path = write("leela.bin.gz", leela_text.as_bytes());
    assert!(read(&path).unwrap() == leela);
    let path = write("own.txt", &own());
    assert!(read(&path).unwrap() == from_bytes(&own()).unwrap());
    let path = write("own.safetensors.gz", &packed(&own()));
    assert!(read(&path).unwrap() == from_bytes(&own()).unwrap());

    let path = write("broken.txt", &leela_text.as_bytes()[..500]);
    let text = read(&path).unwrap_err().to_string();
    assert!(
        text.contains("broken.txt") && text.contains("line 2"),
        "{text}"
    );
    let path = folder.path().join("missing");
    assert!(matches!(read(&path), Err(NetError::File { .. })));
    assert!(matches!(read(folder.path()), Err(NetError::File { .. })));
}
