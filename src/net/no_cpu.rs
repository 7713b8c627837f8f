//! Replacement for the module [`cpu`](crate::net::cpu) in builds without the feature `cpu-kernels`. On the CPU,
//! networks then consist of candle's operations in 32-bit floats.

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

    use super::isa::Isa;
    use super::workspace::Workspace;
    use crate::net::calibration::CalibrationRanges;
    use crate::net::dtype::DType;
    use crate::net::error::NetError;
    use crate::net::part::NetworkPart;
    use crate::net::spec::NetSpec;

    /// Executor type without values, because this build has no CPU kernels.
    #[derive(Debug)]
    pub enum CpuExecutor {}

    impl CpuExecutor {
        /// Returns `None`.
        ///
        /// # Errors
        /// Never returns an error.
        pub const fn new(
            _: &NetSpec,
            _: Isa,
            _: DType,
            _: &CalibrationRanges,
        ) -> Result<Option<Self>, NetError> {
            Ok(None)
        }

        /// Returns false, because this build does not use ranges.
        #[must_use]
        pub const fn needs_ranges(_: &NetSpec) -> bool {
            false
        }
    }

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
        dtype() -> DType;
        can_saturate() -> bool;
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
