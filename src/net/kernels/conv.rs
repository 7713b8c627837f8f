//! Convolutions and linear layers as a direct matrix product: the taps of a kernel lie at fixed distances from a
//! point.

use pulp::{Simd, WithSimd};

use super::aligned::Aligned;
use super::boards::Rows;
use super::finish::{Results, Scattered, Target};
use super::product::{Inputs, Panels, multiply};
use crate::net::desc::check::MAX_KERNEL;

/// A direct convolution, ready to run.
pub struct Direct<'a> {
    pub panels: &'a Panels,
    /// Rows and columns of the kernel.
    pub kernel: (usize, usize),
    /// Distance between rows of a board, in places.
    pub line: usize,
    /// Points to compute, or boards (for a linear layer on boards).
    pub rows: Rows<'a>,
    /// Input, `[places, channels]`.
    pub from: &'a Aligned,
    /// Input channels, padded to whole vectors.
    pub stride: usize,
    pub target: Target<'a>,
}

impl WithSimd for Direct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let Self {
            panels,
            kernel: (height, width),
            line,
            rows,
            stride,
            ..
        } = self;
        let mut taps = [0; MAX_KERNEL * MAX_KERNEL];
        for (tap, offset) in taps[..height * width].iter_mut().enumerate() {
            *offset = (tap / width * line + tap % width) * stride;
        }
        // The first tap lies above and to the left of the point.
        let corner = height / 2 * line + width / 2;
        let inputs = Inputs {
            numbers: self.from,
            rows: rows.places.len(),
            start: |row: usize| (rows.places[row] - corner) * stride,
            taps: &taps[..height * width],
        };
        let mut sink = Scattered {
            results: Results::new(simd, &mut self.target),
            places: rows.places,
            owners: rows.owners,
        };
        multiply(simd, inputs, panels.sheet::<S>(0), &mut sink);
    }
}
