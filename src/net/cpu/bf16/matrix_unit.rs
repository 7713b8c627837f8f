//! Execution of tile multiplications, on AMX or in portable Rust.

use super::block::{Rows, STEP_INPUTS, STEP_WEIGHTS, Sums, TILE_SIDE};
use crate::net::cpu::vectors::to_f32;

/// Implementation of tile multiplications.
#[derive(Clone, Copy, Debug)]
pub enum MatrixUnit {
    Portable,
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    Amx(super::amx::Amx),
}

impl MatrixUnit {
    /// Returns the matrix unit if the processor has one and the operating system allows this process to use it.
    #[cfg(any(test, target_arch = "x86_64"))]
    pub fn detected() -> Option<Self> {
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        return super::amx::Amx::try_new().map(Self::Amx);
        #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
        None
    }

    /// Starts a session on the current thread.
    ///
    /// # Panics
    /// Panics if the thread already has a session on a matrix unit.
    pub fn session(self) -> Session {
        match self {
            Self::Portable => Session::Portable,
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Self::Amx(amx) => Session::Amx(amx.session()),
        }
    }
}

/// Session of tile multiplications on the current thread. Holds the tile registers if the unit is AMX.
#[derive(Debug)]
pub enum Session {
    Portable,
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    Amx(super::amx::Session),
}

impl Session {
    pub const fn is_portable(&self) -> bool {
        matches!(self, Self::Portable)
    }

    /// Multiplies the rows of a block by one or two tiles of columns and stores the results in `sums`.
    ///
    /// Each element of `columns` contains the weights of a tile of columns, ordered by step. If `rows` has no steps,
    /// the content of `sums` is unspecified.
    ///
    /// # Panics
    /// Panics if a row extends past the end of its buffer, or if the number of weights does not match the number of
    /// steps.
    #[inline(always)]
    pub fn multiply<const C: usize>(&self, rows: Rows<'_>, columns: [&[u16]; C], sums: &mut Sums) {
        match self {
            Self::Portable => multiply_portable(rows, columns, sums),
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            Self::Amx(session) => session.multiply(rows, columns, sums),
        }
    }
}

/// Implements [`Session::multiply`] in portable Rust. For each step and each pair of inputs, adds both products to each
/// sum, as the AMX instruction does.
fn multiply_portable<const C: usize>(rows: Rows<'_>, columns: [&[u16]; C], sums: &mut Sums) {
    rows.check_against_columns(&columns);
    for (weights, sums) in columns.into_iter().zip(&mut sums.0) {
        for (tile, sums) in sums.iter_mut().enumerate() {
            for (row, sums) in sums.chunks_exact_mut(TILE_SIDE).enumerate() {
                let start = rows.first + (tile * TILE_SIDE + row) * rows.stride;
                sums.fill(0.0);
                for (step, weights) in rows.steps.iter().zip(weights.chunks_exact(STEP_WEIGHTS)) {
                    let inputs = &rows.data[start + step..][..STEP_INPUTS];
                    for (pair, weights) in inputs
                        .chunks_exact(2)
                        .zip(weights.chunks_exact(2 * TILE_SIDE))
                    {
                        for (sum, weights) in sums.iter_mut().zip(weights.chunks_exact(2)) {
                            let first = to_f32(pair[0]) * to_f32(weights[0]);
                            *sum += first + to_f32(pair[1]) * to_f32(weights[1]);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::cpu::vectors::to_bf16;
    use crate::random::Rng;

    /// Returns a sum in double precision, and the sum of the magnitudes of its terms.
    fn exact(rows: Rows<'_>, weights: &[u16], row: usize, column: usize) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        for (step, start) in rows.steps.iter().enumerate() {
            for input in 0..STEP_INPUTS {
                let x = rows.data[rows.first + row * rows.stride + start + input];
                let pair = step * STEP_INPUTS / 2 + input / 2;
                let weight = weights[2 * (pair * TILE_SIDE + column) + input % 2];
                let product = f64::from(to_f32(x)) * f64::from(to_f32(weight));
                sums = (sums.0 + product, sums.1 + product.abs());
            }
        }
        sums
    }

    #[test]
    fn sums_are_those_of_double_precision() {
        let mut rng = Rng::new(3);
        let mut draw = |count: usize| -> Vec<u16> {
            let number = |_| to_bf16(rng.below(2_000_001) as f32 * 1e-6 - 1.0);
            (0..count).map(number).collect()
        };
        let units = [Some(MatrixUnit::Portable), MatrixUnit::detected()];
        for unit in units.into_iter().flatten() {
            let session = unit.session();
            for (depth, stride, first) in [(1, 32, 0), (2, 96, 5), (5, 64, 64), (27, 128, 31)] {
                let data = draw(first + 32 * stride + 40 * depth);
                let steps: Vec<usize> = (0..depth).map(|step| 40 * step).collect();
                let rows = Rows {
                    data: &data,
                    first,
                    stride,
                    steps: &steps,
                };
                let weights = [draw(depth * STEP_WEIGHTS), draw(depth * STEP_WEIGHTS)];
                let mut sums = Sums::ZERO;
                session.multiply(rows, [&weights[0], &weights[1]], &mut sums);
                let mut alone = Sums::ZERO;
                session.multiply(rows, [&weights[1]], &mut alone);
                assert_eq!(alone.0[0], sums.0[1], "{unit:?}: a column alone");
                for (weights, sums) in weights.iter().zip(&sums.0) {
                    for (index, sum) in sums.as_flattened().iter().enumerate() {
                        let (sum, (exact, size)) = (
                            f64::from(*sum),
                            exact(rows, weights, index / TILE_SIDE, index % TILE_SIDE),
                        );
                        let error = (sum - exact).abs() / size;
                        assert!(error < 1e-6, "{unit:?}, {depth} steps: {sum}, not {exact}");
                    }
                }
            }
        }
    }

    #[test]
    fn rows_beyond_the_end_are_refused() {
        for (first, stride, step) in [
            (1, 32, 0),
            // 31 times this stride is 2^64 + 15, which overflows.
            (0, 595_056_260_442_243_601, 0),
            (0, 32, usize::MAX),
        ] {
            let result = std::panic::catch_unwind(|| {
                let rows = Rows {
                    data: &[0; 32 * 32],
                    first,
                    stride,
                    steps: &[step],
                };
                let mut sums = Sums::ZERO;
                Session::Portable.multiply(rows, [&[0; STEP_WEIGHTS]], &mut sums);
            });
            let message = result.unwrap_err().downcast_ref::<&str>().copied();
            assert_eq!(message, Some("the rows end within the data"));
        }
    }
}
