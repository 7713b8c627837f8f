//! Writes small valid files of every kind into `corpus`, as seeds for the fuzzer.

use std::path::Path;
use std::{fs, io};

use drawn::{Extras, KINDS};
use honinbo::net::formats::honinbo::tensors::FilePrecision;
use honinbo::net::formats::honinbo::v2::to_bytes;

#[allow(dead_code)]
#[path = "../../../tests/network/nets/drawn.rs"]
mod drawn;
#[allow(dead_code)]
#[path = "../../../tests/network/nets/katago.rs"]
mod katago;
#[allow(dead_code)]
#[path = "../../../tests/network/nets/leela_zero.rs"]
mod leela_zero;

fn main() -> io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let write = |target: &str, name: String, bytes: &[u8]| {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(name), bytes)
    };
    for version in 3..=17 {
        let extras = Extras {
            rms: (version > 15).then_some(true),
            profile: version == 16,
            ..Extras::default()
        };
        let kind = usize::from(version) % KINDS;
        let net = drawn::katago(version, extras, 1, &[kind]);
        write(
            "katago",
            format!("{version}.bin"),
            &katago::file(&net, true),
        )?;
        write(
            "katago",
            format!("{version}.txt"),
            &katago::file(&net, false),
        )?;
        let bytes = to_bytes(net, FilePrecision::F32).map_err(io::Error::other)?;
        write("safetensors", format!("{version}.safetensors"), &bytes)?;
    }
    let bytes = to_bytes(drawn::unusual(1), FilePrecision::F32).map_err(io::Error::other)?;
    write("safetensors", "unusual.safetensors".to_owned(), &bytes)?;
    for blocks in 0..2 {
        let lines = leela_zero::lines(&drawn::leela_zero(blocks, blocks == 1, 1));
        write(
            "leela_zero",
            format!("{blocks}.txt"),
            lines.join("\n").as_bytes(),
        )?;
        // The final maps make up most of a file and are slow to try.
        let start = &lines[..lines.len() - 10];
        write(
            "leela_zero",
            format!("{blocks}-start.txt"),
            start.join("\n").as_bytes(),
        )?;
    }
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/net/tiny.safetensors");
    write(
        "safetensors",
        "tiny.safetensors".to_owned(),
        &fs::read(tiny)?,
    )
}
