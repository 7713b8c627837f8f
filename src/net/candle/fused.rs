//! The forward passes of the three modules on the CPU, as custom candle operations that run the fused kernels of
//! [`cpu`](crate::net::cpu).
//!
//! The features stay in the layout of the kernels, in a tensor that is reused in every call. Only the heads read it.

use std::cell::RefCell;
use std::mem::take;

use candle_core::{CpuStorage, CustomOp1, Device, InplaceOp3, Layout, Result, Shape, Tensor};
use half::vec::{HalfBitsVecExt, HalfFloatVecExt};
use half::{bf16, slice::HalfFloatSliceExt};

use crate::net::cpu::executor::{CpuExecutor, FeatureStorage, FeaturesRef};
use crate::net::cpu::workspace::Workspace;
use crate::net::program::Part;

/// Memory for the forward passes of one thread.
#[derive(Debug, Default)]
pub struct Memory {
    workspace: Workspace,
    /// Features of the last call; `None` before the first.
    features: Option<Tensor>,
    /// Number of boards of the last call.
    count: usize,
}

impl Memory {
    /// Returns true if a value of this board did not fit into 16 bits since the last call of
    /// [`features`](fn@features), so that the features and the outputs of the board are meaningless.
    #[must_use]
    pub fn is_saturated(&self, board: usize) -> bool {
        self.workspace.is_saturated(board)
    }
}

/// Computes the features of `planes` (`[n, planes, height, width]`) and `globals` (`[n, globals + profile]`).
///
/// The result has the layout of the kernels, and its content changes with the next call that uses the same memory.
///
/// # Errors
/// Returns an error if a tensor is not contiguous, or not on the CPU in f32.
pub fn features(
    executor: &CpuExecutor,
    planes: &Tensor,
    globals: &Tensor,
    memory: &mut Memory,
) -> Result<Tensor> {
    let (count, _, height, width) = planes.dims4()?;
    let Memory { workspace, .. } = memory;
    if executor.prepare(count, (height, width), workspace) || memory.features.is_none() {
        memory.features = Some(match executor.new_features(workspace) {
            FeatureStorage::F32(store) => tensor(store)?,
            FeatureStorage::Bf16(store) => tensor::<bf16>(store.reinterpret_into())?,
        });
    }
    memory.count = count;
    let Some(features) = &memory.features else {
        candle_core::bail!("there is no tensor for the features");
    };
    let op = FeaturesOp {
        executor,
        count,
        workspace: RefCell::new(workspace),
    };
    features.inplace_op3(planes, globals, &op)?;
    Ok(features.clone())
}

fn tensor<T: candle_core::WithDType>(values: Vec<T>) -> Result<Tensor> {
    let length = values.len();
    Tensor::from_vec(values, length, &Device::Cpu)
}

/// Computes the outputs of a head, `[n, outputs]`. `features` must be the tensor that the function
/// [`features`](fn@features) last returned for the same memory.
///
/// # Errors
/// Returns an error if `features` is neither f32 nor bf16.
pub fn head(
    executor: &CpuExecutor,
    part: Part,
    features: &Tensor,
    memory: &mut Memory,
) -> Result<Tensor> {
    features.apply_op1_no_bwd(&HeadOp {
        executor,
        part,
        count: memory.count,
        workspace: RefCell::new(&mut memory.workspace),
    })
}

/// Custom operation that computes features in place.
struct FeaturesOp<'a> {
    executor: &'a CpuExecutor,
    count: usize,
    workspace: RefCell<&'a mut Workspace>,
}

impl InplaceOp3 for FeaturesOp<'_> {
    fn name(&self) -> &'static str {
        "features"
    }

    fn cpu_fwd(
        &self,
        features: &mut CpuStorage,
        _: &Layout,
        planes: &CpuStorage,
        planes_layout: &Layout,
        globals: &CpuStorage,
        globals_layout: &Layout,
    ) -> Result<()> {
        let inputs = (
            contiguous(planes, planes_layout)?,
            contiguous(globals, globals_layout)?,
        );
        let mut store = match features {
            CpuStorage::F32(store) => FeatureStorage::F32(take(store)),
            CpuStorage::BF16(store) => FeatureStorage::Bf16(take(store).reinterpret_into()),
            _ => candle_core::bail!("the features must be f32 or bf16"),
        };
        let workspace = &mut **self.workspace.borrow_mut();
        self.executor
            .compute_features(self.count, inputs, &mut store, workspace);
        *features = match store {
            FeatureStorage::F32(store) => CpuStorage::F32(store),
            FeatureStorage::Bf16(store) => CpuStorage::BF16(store.reinterpret_into()),
        };
        Ok(())
    }
}

/// Custom operation that computes the outputs of a head.
struct HeadOp<'a> {
    executor: &'a CpuExecutor,
    part: Part,
    count: usize,
    workspace: RefCell<&'a mut Workspace>,
}

impl CustomOp1 for HeadOp<'_> {
    fn name(&self) -> &'static str {
        "head"
    }

    fn cpu_fwd(&self, features: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        let features = match features {
            CpuStorage::F32(store) => FeaturesRef::F32(store),
            CpuStorage::BF16(store) => FeaturesRef::Bf16(store.reinterpret_cast()),
            _ => candle_core::bail!("the features must be f32 or bf16"),
        };
        let workspace = &mut **self.workspace.borrow_mut();
        let outputs = self
            .executor
            .compute_head(self.part, self.count, features, workspace);
        let shape = (self.count, outputs.len() / self.count);
        Ok((CpuStorage::F32(outputs), shape.into()))
    }
}

/// Returns the content of a contiguous f32 tensor.
fn contiguous<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&storage.as_slice()?[start..end]),
        None => candle_core::bail!("expected a contiguous tensor, found {layout:?}"),
    }
}
