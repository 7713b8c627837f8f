//! Replacement for the module [`cpu`](crate::net::cpu) in builds without the feature `cpu-kernels`. On the CPU,
//! networks then consist of candle's operations in 32-bit floats.

use super::candle::device::Backend;
use super::error::NetError;
use super::model::Network;
use super::spec::NetSpec;
use calibration::CalibrationRanges;
use isa::Isa;

pub mod isa {
    //! Placeholder for the choice of an instruction set, which candle makes itself.

    use crate::net::error::NetError;

    /// Instruction set chosen by candle; the only value in this build.
    #[derive(Clone, Copy, Debug)]
    pub struct Isa(());

    impl Isa {
        /// # Errors
        /// Never returns an error.
        pub const fn from_env_or_best() -> Result<Self, NetError> {
            Ok(Self(()))
        }

        pub fn available() -> impl Iterator<Item = Self> {
            std::iter::once(Self(()))
        }

        #[must_use]
        pub const fn name(self) -> &'static str {
            "candle"
        }

        #[must_use]
        pub const fn has_matrix_unit(self) -> bool {
            false
        }

        #[must_use]
        pub const fn has_i16(self) -> bool {
            false
        }
    }
}

pub mod calibration {
    //! Calibration ranges, which this build preserves but does not use.

    /// Calibration ranges stored in a file.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct CalibrationRanges(Vec<f32>);

    impl CalibrationRanges {
        #[must_use]
        pub const fn new(values: Vec<f32>) -> Self {
            Self(values)
        }

        #[must_use]
        pub fn values(&self) -> &[f32] {
            &self.0
        }

        pub const fn merge(&mut self, _: &Self) {}
    }
}

pub mod workspace {
    //! Placeholder for the memory of the CPU kernels.

    #[derive(Debug, Default)]
    pub struct Workspace;

    impl Workspace {
        #[must_use]
        pub const fn is_board_saturated(&self, _: usize) -> bool {
            false
        }
    }
}

pub mod executor {
    //! Placeholder for the executor of the CPU kernels.

    use super::calibration::CalibrationRanges;
    use super::isa::Isa;
    use super::workspace::Workspace;
    use crate::net::part::NetworkPart;

    /// Executor type without values, because this build has no CPU kernels.
    #[derive(Debug)]
    pub enum CpuExecutor {}

    /// Defines methods that are never called, from the types of their arguments and results.
    macro_rules! uncallable {
        ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {
            impl CpuExecutor {
                $(pub fn $name(&self, $(_: $argument),*) -> $result { match *self {} })*
            }
        };
    }

    type Size = (usize, usize);
    type Inputs<'a> = (&'a [f32], &'a [f32]);

    uncallable! {
        isa() -> Isa;
        minibatch_size(Size) -> usize;
        measure_peak_multiply_adds() -> f64;
        saved_multiply_adds(Size) -> usize;
        record_position_ranges(Size, Inputs<'_>, &mut Workspace, &mut CalibrationRanges) -> ();
        prepare(usize, Size, &mut Workspace) -> bool;
        take_feature_storage(&Workspace) -> Vec<f32>;
        compute_features(usize, Inputs<'_>, &mut Vec<f32>, &mut Workspace) -> ();
        compute_head(NetworkPart, usize, &[f32], &mut Workspace) -> Vec<f32>;
    }
}

impl Network {
    /// Builds a network that runs candle's operations on the CPU. `spec` must be checked ([`NetSpec::checked`]).
    ///
    /// # Errors
    /// Returns an error if candle reports one.
    pub fn new(spec: &NetSpec) -> Result<Self, NetError> {
        Self::with_backend(spec, &Backend::default())
    }

    /// Like [`new`](Self::new), whose errors cannot occur on the CPU with a checked description.
    #[must_use]
    pub fn with_f32(spec: &NetSpec, _: Isa) -> Self {
        Self::new(spec).expect("candle builds every checked network on the CPU")
    }

    /// Like [`with_f32`](Self::with_f32), because candle has no fast bfloat16 on the CPU.
    #[must_use]
    pub fn with_bf16(spec: &NetSpec, isa: Isa) -> Self {
        Self::with_f32(spec, isa)
    }

    /// Like [`new`](Self::new), because candle has no 16-bit integers.
    ///
    /// # Errors
    /// Returns an error if candle reports one.
    pub fn with_i16_if_faster(
        spec: &NetSpec,
        _: &CalibrationRanges,
        _: Isa,
    ) -> Result<Self, NetError> {
        Self::new(spec)
    }

    /// Returns false, because this build does not use ranges.
    #[must_use]
    pub const fn needs_ranges(_: &NetSpec) -> bool {
        false
    }
}
