//! Round trips: nets written to a file are read back unchanged.

use std::io::{self, Read};

use crate::nets::drawn::{self, Extras, KINDS};
use crate::nets::execution_cases::Batch;
use crate::nets::{edited, katago, leela_zero, packed, read_katago, read_leela_zero};
use honinbo::net::formats::honinbo::tensors::FilePrecision;
use honinbo::net::formats::honinbo::{from_bytes, v2};
use honinbo::net::formats::stream::Stream;
use honinbo::net::model::Network;
use honinbo::net::spec::layers::Affine;
use honinbo::net::spec::{NetSpec, TrunkNorm};
use honinbo::random::Rng;
use safetensors::SafeTensors;

const ALL: [usize; KINDS] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Asserts that a file in this program's own format holds the same net.
#[track_caller]
fn assert_own_format_round_trip(net: &NetSpec) {
    let bytes = v2::to_bytes(net.clone(), FilePrecision::F32).unwrap();
    assert!(from_bytes(&bytes).unwrap() == *net);
}

#[test]
fn own_format_holds_all_layers() {
    for net in [drawn::honinbo(5, 3, 7), drawn::unusual(7)] {
        assert_own_format_round_trip(&net);
        let bytes = v2::to_bytes(net.clone(), FilePrecision::F32).unwrap();
        let read = from_bytes(&bytes).unwrap();
        let batch = Batch::random(&net, 2, 19, 19, 1);
        let outputs = |net| {
            Network::new(net)
                .unwrap()
                .evaluate(&batch.as_net_input())
                .unwrap()
        };
        assert_eq!(outputs(&read), outputs(&net));
        // Every tensor is needed.
        let file = SafeTensors::deserialize(&bytes).unwrap();
        let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
        for missing in file.names() {
            let others = file.iter().filter(|(name, _)| *name != missing);
            let bytes = safetensors::serialize(others, header.metadata().clone()).unwrap();
            let error = from_bytes(&bytes).unwrap_err().to_string();
            assert!(error.ends_with(&format!("1 missing: {missing}")), "{error}");
        }
    }
}

/// Returns the file of a net in each form: text and binary, each uncompressed and compressed.
fn forms(net: &NetSpec) -> [Vec<u8>; 4] {
    let (binary, text) = (katago::file(net, true), katago::file(net, false));
    [packed(&binary), packed(&text), binary, text]
}

#[test]
fn katago_versions_and_blocks_round_trip() {
    for version in 3..=17 {
        let net = drawn::katago(version, Extras::default(), u64::from(version), &ALL);
        for (form, bytes) in forms(&net).iter().enumerate() {
            let read =
                read_katago(bytes).unwrap_or_else(|error| panic!("{version} {form}: {error}"));
            assert!(read == net, "version {version}, form {form}");
        }
        assert_own_format_round_trip(&net);
    }
}

#[test]
fn katago_late_version_extras_round_trip() {
    for version in 14..=17 {
        for case in 0..24 {
            let extras = Extras {
                rms: [None, Some(false), Some(true)][case % 3],
                profile: case / 3 % 2 == 1,
                suicide_areas: case / 6 % 2 == 1,
                move_values: case / 12 == 1,
            };
            let net = drawn::katago(version, extras, case as u64, &[case % KINDS]);
            let read = read_katago(&katago::file(&net, true)).unwrap();
            assert!(read == net, "version {version}, {extras:?}");
            assert_own_format_round_trip(&net);
        }
    }
}

/// Returns the mean, variance, scale and shift of a random norm, and the folded factors and offsets.
fn statistics(rng: &mut Rng, channels: usize, epsilon: f64) -> ([Vec<f32>; 4], Vec<(f64, f64)>) {
    let mut draw = |from: f32, width: f32| -> Vec<f32> {
        (0..channels)
            .map(|_| from + width * rng.unit_f32())
            .collect()
    };
    let drawn = [
        draw(-3.0, 6.0),
        draw(0.0, 4.0),
        draw(-2.0, 4.0),
        draw(-1.0, 2.0),
    ];
    let folded = (0..channels).map(|channel| {
        let [mean, variance, scale, shift] =
            [0, 1, 2, 3].map(|part| f64::from(drawn[part][channel]));
        let factor = scale / (variance + epsilon).sqrt();
        (factor, shift - mean * factor)
    });
    let folded = folded.collect();
    (drawn, folded)
}

fn assert_folded(norm: &Affine, folded: &[(f64, f64)]) {
    assert_eq!(norm.channels, folded.len());
    for (channel, (scale, shift)) in folded.iter().enumerate() {
        let off = |found: f32, exact: f64| (f64::from(found) - exact).abs() / exact.abs().max(1.0);
        assert!(
            off(norm.scale[channel], *scale) < 1e-6,
            "{norm:?} {folded:?}"
        );
        assert!(
            off(norm.shift[channel], *shift) < 1e-6,
            "{norm:?} {folded:?}"
        );
    }
}

#[test]
fn batch_norms_of_katago_are_folded() {
    let net = drawn::katago(8, Extras::default(), 1, &[0]);
    let text = katago::text(&net);
    let mut rng = Rng::new(2);
    for _ in 0..20 {
        let (drawn, folded) = statistics(&mut rng, drawn::CHANNELS, 0.02);
        let [mean, variance, scale, shift] = drawn.map(leela_zero::line);
        let from = text.find("tip.norm").unwrap();
        let to = text.find("tip.act").unwrap();
        let norm = format!("tip.norm 4 0.02 1 1\n{mean}\n{variance}\n{scale}\n{shift}\n");
        let read = read_katago(edited(&text, &text[from..to], &norm).as_bytes()).unwrap();
        let TrunkNorm::Affine { norm, .. } = &read.trunk_norm else {
            panic!("{:?}", read.trunk_norm);
        };
        assert_folded(norm, &folded);
    }
}

#[test]
fn leela_zero_forms_round_trip() {
    for (blocks, black) in [(0, false), (1, true), (3, false)] {
        let net = drawn::leela_zero(blocks, black, 5);
        let lines = leela_zero::lines(&net);
        for bytes in [
            lines.join("\n").into_bytes(),
            (lines.join(" \n") + "\n\n").into_bytes(),
            (lines.join("\r\n") + "\r\n").into_bytes(),
            packed(lines.join("\n").as_bytes()),
        ] {
            assert!(read_leela_zero(&bytes).unwrap() == net, "{blocks} blocks");
        }
        assert_own_format_round_trip(&net);
    }
}

#[test]
fn norms_and_biases_of_leela_zero_are_folded() {
    let mut lines = leela_zero::lines(&drawn::leela_zero(1, false, 5));
    let mut rng = Rng::new(3);
    for _ in 0..3 {
        let ([mean, variance, _, bias], _) = statistics(&mut rng, 3, 0.0);
        let folded: Vec<(f64, f64)> = (0..3)
            .map(|channel| {
                let [mean, variance, bias] =
                    [&mean, &variance, &bias].map(|numbers| f64::from(numbers[channel]));
                let factor = 1.0 / (variance + 1e-5).sqrt();
                (factor, (bias - mean) * factor)
            })
            .collect();
        lines[2..5].clone_from_slice(&[bias, mean, variance].map(leela_zero::line));
        let read = read_leela_zero(lines.join("\n").as_bytes()).unwrap();
        assert_folded(&read.stem.norm.unwrap().0, &folded);
    }
}

/// Reader that returns a few bytes at a time and is sometimes interrupted.
struct Trickle<'a> {
    bytes: &'a [u8],
    rng: Rng,
}

impl Read for Trickle<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.rng.chance(0.1) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let most = into.len().min(1 + self.rng.below(300));
        self.bytes.read(&mut into[..most])
    }
}

#[test]
fn short_and_interrupted_reads_are_handled() {
    let net = drawn::katago(17, Extras::default(), 1, &ALL);
    for bytes in forms(&net) {
        let trickle = Trickle {
            bytes: &bytes,
            rng: Rng::new(4),
        };
        let read = honinbo::net::formats::katago::read(Stream::new(trickle).unwrap()).unwrap();
        assert!(read == net);
    }
}
