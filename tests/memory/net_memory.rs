//! Memory use while networks are read: little more than the weights need, and nothing for data that a file declares but
//! does not contain.

use std::io::{self, Cursor, Read};

use flate2::Compression;
use flate2::read::GzEncoder;
use honinbo::net::formats::detection::Format;
use honinbo::net::formats::stream::Stream;
use honinbo::net::formats::{self, katago, leela_zero};

use crate::{MEMORY, measuring};

const MIB: usize = 1 << 20;

/// A file of zeros, generated while it is read.
struct File {
    parts: Box<dyn Read>,
    numbers: usize,
}

impl File {
    fn new() -> Self {
        Self {
            parts: Box::new(io::empty()),
            numbers: 0,
        }
    }

    fn add(mut self, part: impl Read + 'static) -> Self {
        self.parts = Box::new(self.parts.chain(part));
        self
    }

    fn words(self, words: &str) -> Self {
        self.add(Cursor::new(words.as_bytes().to_vec()))
    }

    /// Adds a binary block of a KataGo file.
    fn bytes(mut self, count: usize) -> Self {
        self.numbers += count;
        self.words("\n@BIN@")
            .add(io::repeat(0).take(4 * count as u64))
            .words("\n")
    }

    /// Adds a line of a Leela Zero file.
    fn line(mut self, count: usize) -> Self {
        self.numbers += count;
        self.add(Digits(0).take(2 * count as u64)).words("\n")
    }

    fn conv(self, side: usize, inputs: usize, outputs: usize) -> Self {
        self.words(&format!("conv {side} {side} {inputs} {outputs} 1 1"))
            .bytes(side * side * inputs * outputs)
    }

    fn norm(self, channels: usize) -> Self {
        self.words(&format!("norm {channels} 0.5 0 0"))
            .bytes(channels)
            .bytes(channels)
            .words("activation\n")
    }

    fn matrix(self, inputs: usize, outputs: usize) -> Self {
        self.words(&format!("matrix {inputs} {outputs}"))
            .bytes(inputs * outputs)
    }

    fn biased(self, inputs: usize, outputs: usize) -> Self {
        self.matrix(inputs, outputs)
            .words(&format!("bias {outputs}"))
            .bytes(outputs)
    }

    /// Adds the four lines of a Leela Zero convolution.
    fn lines(self, weights: usize, channels: usize) -> Self {
        self.line(weights)
            .line(channels)
            .line(channels)
            .line(channels)
    }
}

/// The text `0 0 0 ...`.
struct Digits(u8);

impl Read for Digits {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        for byte in &mut *into {
            *byte = if self.0 == 0 { b'0' } else { b' ' };
            self.0 ^= 1;
        }
        Ok(into.len())
    }
}

/// Returns a KataGo file of version 8 up to the blocks of the trunk.
fn katago_start(blocks: usize, channels: usize) -> File {
    File::new()
        .words(&format!("zeros 8 22 19 trunk {blocks} {channels} 1 1 1 1 "))
        .conv(3, 22, channels)
        .matrix(19, channels)
}

fn katago(blocks: usize, channels: usize) -> File {
    let mut file = katago_start(blocks, channels);
    for _ in 0..blocks {
        file = file.words("ordinary_block block ");
        for _ in 0..2 {
            file = file.norm(channels).conv(3, channels, channels);
        }
    }
    file.norm(channels)
        .words("policy ")
        .conv(1, channels, 32)
        .conv(1, channels, 32)
        .norm(32)
        .matrix(96, 32)
        .norm(32)
        .conv(1, 32, 1)
        .matrix(96, 1)
        .words("value ")
        .conv(1, channels, 32)
        .norm(32)
        .biased(96, 48)
        .words("activation ")
        .biased(48, 3)
        .biased(48, 4)
        .conv(1, 32, 1)
}

fn leela_zero(blocks: usize, channels: usize) -> File {
    let mut file = File::new().words("1\n").lines(18 * 9 * channels, channels);
    for _ in 0..2 * blocks {
        file = file.lines(9 * channels * channels, channels);
    }
    file.lines(2 * channels, 2)
        .line(722 * 362)
        .line(362)
        .lines(channels, 1)
        .line(361 * 256)
        .line(256)
        .line(256)
        .line(1)
}

/// Returns the peak memory use of `read`, minus the memory in use before.
fn peak_of<T>(read: impl FnOnce() -> T) -> (usize, T) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let result = read();
    (MEMORY.peak_usage() - before, result)
}

#[test]
fn gzip_bomb_is_rejected_early() {
    let _guard = measuring();
    // A real network expands by a small factor, and this file by about a thousand.
    let expanded = 256 * MIB;
    let start =
        File::new().words("bomb 8 22 19 trunk 1 4096 1 1 1 1 conv 19 19 22 4096 1 1\n@BIN@");
    let katago = packed(start.parts.chain(io::repeat(0)).take(expanded as u64));
    let mut header = 2_u64.to_le_bytes().to_vec();
    header.extend(b"{}");
    let own = packed(
        Cursor::new(header)
            .chain(io::repeat(0))
            .take(expanded as u64),
    );
    for bomb in [katago, own] {
        assert!(bomb.len() < MIB);
        let read = |bytes: &[u8]| {
            let mut stream = Stream::new(bytes).unwrap();
            match Format::detect(&mut stream).unwrap() {
                Format::KataGo => katago::read(stream),
                _ => formats::honinbo::read(stream),
            }
        };
        let (peak, net) = peak_of(|| read(&bomb));
        let error = net.unwrap_err().to_string();
        assert!(error.contains("expands to more than 16 times"), "{error}");
        // The content is in a vector that doubles its capacity.
        assert!(peak < 128 * MIB, "{peak} bytes");
    }
}

/// Returns the content of `source`, compressed with gzip.
fn packed(source: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = GzEncoder::new(source, Compression::default());
    encoder.read_to_end(&mut bytes).unwrap();
    bytes
}

// A single test, because all threads of a process share the counters.
#[test]
fn reading_needs_little_extra_memory() {
    let _guard = measuring();
    let file = katago(6, 512);
    let (size, largest) = (4 * file.numbers, 4 * 9 * 512 * 512);
    assert!(size > 100 * MIB);
    let (peak, net) = peak_of(|| katago::read(Stream::new(file.parts).unwrap()).unwrap());
    assert_eq!(net.blocks.len(), 6);
    assert!(
        peak < size + largest + MIB,
        "{peak} bytes for a net of {size}"
    );
    drop(net);

    let file = leela_zero(3, 256);
    let (size, largest) = (4 * file.numbers, 4 * 9 * 256 * 256);
    let (peak, net) = peak_of(|| leela_zero::read(Stream::new(file.parts).unwrap()).unwrap());
    assert_eq!(net.blocks.len(), 3);
    assert!(
        peak < size + 2 * largest,
        "{peak} bytes for a net of {size}"
    );
    drop(net);

    let file = katago_start(1, 512)
        .words("ordinary_block block ")
        .norm(512);
    let size = 4 * file.numbers;
    let file = file.words("claim 19 19 512 2048 1 1").bytes(1000);
    let (peak, net) = peak_of(|| katago::read(Stream::new(file.parts).unwrap()));
    let error = net.unwrap_err().to_string();
    assert!(
        error.contains("layer claim: expected 378535936 numbers, found the end"),
        "{error}"
    );
    assert!(peak < size + MIB, "{peak} bytes for {size}");
}
