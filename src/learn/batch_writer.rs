//! The stream of training batches read by the trainer.
//!
//! The stream starts with one line of JSON that contains the names of the planes and globals, the batch size and the
//! size of the grid. Frames follow until the end of the stream, one per batch. All numbers in the frames are stored in
//! little-endian order.
//!
//! A frame starts with the number `n` of samples (`u32`). One array per field follows, with the values of all `n`
//! samples: planes (`i8`), globals (`f32`), policy (`f16`; the points of the grid, then a pass), policy weight, value,
//! value weight, score (the lead in points), score weight (`f32` each), ownership (`i8`; 127 if the player to move owns
//! the point) and ownership weight (`f32`). Boards are placed in the top left corner of the grid. A weight is 1 if the
//! target is known and 0 otherwise.
//!
//! If the first line contains a list `targets` of names, each frame ends with two more arrays per name: values and
//! weights (`f32` each).

use std::io::{self, Write};

use half::f16;

use super::sample::{AuxiliaryTargets, Sample};
use crate::encode::Encoding;
use crate::game::point::BoardSize;
use crate::random::Rng;

/// Format of a stream of batches.
#[derive(Clone, Copy, Debug)]
pub struct BatchFormat {
    pub encoding: Encoding,
    /// Board size to which all samples are padded. A smaller board occupies the top left corner.
    pub grid: BoardSize,
    /// Number of samples per batch.
    pub batch_size: usize,
    /// True if frames contain [`AuxiliaryTargets`] as additional targets.
    pub has_auxiliary_targets: bool,
}

/// Writer that shuffles samples and writes them in batches.
pub struct BatchWriter<W: Write> {
    out: W,
    format: BatchFormat,
    /// Samples that have not been written yet. Batches are drawn from these samples at random.
    pool: Vec<(BoardSize, Sample)>,
    /// Number of samples that remain in the pool after a batch has been drawn.
    min_pool_size: usize,
    rng: Rng,
}

impl<W: Write> BatchWriter<W> {
    /// Creates a writer and writes the header of the stream.
    ///
    /// Each batch is drawn at random from a pool of samples. After each draw, `min_pool_size` samples remain in the
    /// pool. If `min_pool_size` is less than the batch size, the batch size is used instead.
    ///
    /// # Errors
    /// Returns an error if the header cannot be written.
    pub fn new(
        mut out: W,
        format: BatchFormat,
        min_pool_size: usize,
        rng: Rng,
    ) -> io::Result<Self> {
        let BatchFormat {
            encoding,
            grid,
            batch_size,
            has_auxiliary_targets,
        } = format;
        let mut header = serde_json::json!({
            "format": "honinbo-samples",
            "version": 1,
            "planes": encoding.plane_names().collect::<Vec<_>>(),
            "globals": encoding.global_names().collect::<Vec<_>>(),
            "batch": batch_size,
            "width": grid.width(),
            "height": grid.height(),
        });
        if has_auxiliary_targets {
            header["targets"] = serde_json::json!(AuxiliaryTargets::NAMES);
        }
        writeln!(out, "{header}")?;
        Ok(Self {
            out,
            format,
            pool: Vec::new(),
            min_pool_size: min_pool_size.max(batch_size),
            rng,
        })
    }

    /// Adds a sample to the pool and writes a batch if the pool is then full. `size` is the board size of the sample,
    /// which must not exceed the grid.
    ///
    /// # Errors
    /// Returns an error if the batch cannot be written.
    pub fn push(&mut self, size: BoardSize, sample: Sample) -> io::Result<()> {
        self.pool.push((size, sample));
        if self.pool.len() >= self.min_pool_size.saturating_add(self.format.batch_size) {
            self.write_batch()?;
        }
        Ok(())
    }

    /// Writes all remaining samples. The last batch may be smaller than the others.
    ///
    /// # Errors
    /// Returns an error if the samples cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        while !self.pool.is_empty() {
            self.write_batch()?;
        }
        self.out.flush()
    }

    fn write_batch(&mut self) -> io::Result<()> {
        let count = self.format.batch_size.min(self.pool.len());
        let batch: Vec<(BoardSize, Sample)> = (0..count)
            .map(|_| {
                let index = self.rng.below(self.pool.len());
                self.pool.swap_remove(index)
            })
            .collect();
        let frame = self.encode_frame(&batch);
        self.out.write_all(&frame)?;
        Ok(())
    }

    fn encode_frame(&self, batch: &[(BoardSize, Sample)]) -> Vec<u8> {
        let cells = self.format.grid.area();
        let per_sample = (self.format.encoding.plane_count() + 1) * cells
            + 4 * self.format.encoding.global_count()
            + 2 * (cells + 1)
            + 24;
        let mut frame = Vec::with_capacity(4 + batch.len() * per_sample);
        frame.extend((batch.len() as u32).to_le_bytes());
        for (size, sample) in batch {
            for plane in sample.planes.chunks_exact(size.area()) {
                self.extend_grid(&mut frame, *size, plane);
            }
        }
        extend_floats(
            &mut frame,
            batch
                .iter()
                .flat_map(|(_, sample)| sample.globals.iter().copied()),
        );
        for (size, sample) in batch {
            match &sample.policy {
                Some(policy) => self.extend_policy(&mut frame, *size, policy),
                None => frame.resize(frame.len() + 2 * (cells + 1), 0),
            }
        }
        let weight = |is_known: bool| f32::from(u8::from(is_known));
        let mut extend = |value: &dyn Fn(&Sample) -> f32| {
            extend_floats(&mut frame, batch.iter().map(|(_, sample)| value(sample)));
        };
        extend(&|sample| weight(sample.policy.is_some()));
        extend(&|sample| sample.value);
        extend(&|_| 1.0);
        extend(&|sample| sample.lead.unwrap_or(0.0));
        extend(&|sample| weight(sample.lead.is_some()));
        for (size, sample) in batch {
            match &sample.ownership {
                Some(owners) => self.extend_grid(&mut frame, *size, owners),
                None => frame.resize(frame.len() + cells, 0),
            }
        }
        let ownership_weight = |sample: &Sample| weight(sample.ownership.is_some());
        extend_floats(
            &mut frame,
            batch.iter().map(|(_, sample)| ownership_weight(sample)),
        );
        if self.format.has_auxiliary_targets {
            extend_auxiliary_targets(&mut frame, batch);
        }
        frame
    }

    fn extend_grid(&self, frame: &mut Vec<u8>, size: BoardSize, values: &[i8]) {
        let start = frame.len();
        frame.resize(start + self.format.grid.area(), 0);
        for (row, values) in values.chunks_exact(size.width()).enumerate() {
            let offset = start + row * self.format.grid.width();
            for (cell, value) in frame[offset..].iter_mut().zip(values) {
                *cell = value.cast_unsigned();
            }
        }
    }

    fn extend_policy(&self, frame: &mut Vec<u8>, size: BoardSize, policy: &[f32]) {
        let start = frame.len();
        let cells = self.format.grid.area();
        frame.resize(start + 2 * (cells + 1), 0);
        let mut write_cell = |cell: usize, probability: f32| {
            frame[start + 2 * cell..][..2]
                .copy_from_slice(&f16::from_f32(probability).to_le_bytes());
        };
        for (index, &probability) in policy[..size.area()].iter().enumerate() {
            let row = index / size.width();
            write_cell(
                row * self.format.grid.width() + index % size.width(),
                probability,
            );
        }
        write_cell(cells, policy[size.area()]);
    }
}

fn extend_auxiliary_targets(frame: &mut Vec<u8>, batch: &[(BoardSize, Sample)]) {
    for index in 0..AuxiliaryTargets::NAMES.len() {
        let values = || {
            let samples = batch.iter();
            samples.map(|(_, sample)| sample.auxiliary_targets.values()[index])
        };
        extend_floats(frame, values().map(|value| value.unwrap_or(0.0)));
        extend_floats(
            frame,
            values().map(|value| f32::from(u8::from(value.is_some()))),
        );
    }
}

fn extend_floats(frame: &mut Vec<u8>, values: impl Iterator<Item = f32>) {
    frame.extend(values.flat_map(f32::to_le_bytes));
}
