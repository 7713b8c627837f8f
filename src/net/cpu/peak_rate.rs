//! Measurement of the peak multiply-add rate of a processor, for comparison with the speed of the kernels.

use std::time::Instant;

use super::gemm::kernel::{Kernel, WithKernel};
use super::isa::Isa;
use crate::net::dtype::DType;

/// Measures the peak rate of a single thread in a number format that the instruction set supports, in multiply-adds per
/// second.
pub fn measure(isa: Isa, dtype: DType) -> f64 {
    // The first run lets the processor reach its full clock rate.
    let runs = (0..6).map(|_| {
        let started = Instant::now();
        let done = isa.run_kernel(dtype, MultiplyAdds);
        done as f64 / started.elapsed().as_secs_f64()
    });
    runs.fold(0.0, f64::max)
}

/// Multiply-adds of a kernel. The output is their number.
struct MultiplyAdds;

impl WithKernel for MultiplyAdds {
    type Output = usize;

    #[inline(always)]
    fn with_kernel<K: Kernel>(self, kernel: K) -> usize {
        kernel.multiply_adds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_rates_are_positive_on_every_instruction_set() {
        for isa in Isa::available() {
            for dtype in [DType::F32, DType::Bf16, DType::I16] {
                if dtype != DType::I16 || isa.has_i16() {
                    assert!(measure(isa, dtype) > 0.0);
                }
            }
        }
    }
}
