//! The forward passes of the three modules on the CPU, as custom candle operations that run the fused kernels of
//! [`cpu`](crate::net::cpu).
//!
//! The features are stored in the layout of the kernels, in a tensor that is reused in every call. Only the heads read
//! this tensor.

use std::cell::RefCell;
use std::sync::Arc;

use candle_core::{CpuStorage, CustomOp1, Device, InplaceOp3, Layout, Result, Shape, Tensor};
use candle_nn::Func;

use super::device::Backend;
use crate::net::cpu::executor::CpuExecutor;
use crate::net::cpu::workspace::Workspace;
use crate::net::part::NetworkPart;

/// Implementation of the modules of a network.
#[derive(Clone, Debug)]
pub enum Implementation {
    /// This engine's CPU kernels, for the network from which the executor was created.
    Fused(Arc<CpuExecutor>),
    /// candle's operations.
    Plain(Backend),
}

/// Layers of a head, run by this engine's CPU kernels or by candle's operations.
#[derive(Debug)]
pub enum Head {
    Fused(Arc<CpuExecutor>, NetworkPart),
    Plain(Func<'static>),
}

impl Head {
    /// Creates a head. `layers` creates the layers for candle's operations on a backend, which computes in f32.
    ///
    /// # Errors
    /// Returns the error of `layers`.
    pub fn new(
        implementation: &Implementation,
        part: NetworkPart,
        layers: impl FnOnce(&Backend) -> Result<Func<'static>>,
    ) -> Result<Self> {
        match implementation {
            Implementation::Fused(executor) => Ok(Self::Fused(Arc::clone(executor), part)),
            Implementation::Plain(backend) => layers(&backend.full_precision()).map(Self::Plain),
        }
    }

    /// Maps features to outputs, `[n, outputs]` in f32. With the kernels, `features` must be the tensor that
    /// [`compute_features`] last returned for the same `workspaces`.
    ///
    /// # Errors
    /// Returns an error if the features do not fit the head or if the device reports an error.
    pub fn forward(&self, features: &Tensor, workspaces: &mut Workspaces) -> Result<Tensor> {
        let (executor, part) = match self {
            Self::Fused(executor, part) => (executor, *part),
            Self::Plain(layers) => return features.apply(layers),
        };
        let Some(memory) = workspaces.sizes.first_mut() else {
            candle_core::bail!("the features were computed with other workspaces");
        };
        features.apply_op1_no_bwd(&KernelOp {
            executor,
            part,
            count: memory.count,
            workspace: RefCell::new(&mut memory.workspace),
        })
    }
}

/// Maximum number of board sizes per thread with allocated memory.
const MAX_BOARD_SIZES: usize = 4;

/// Memory for the forward passes of a thread. There is separate memory for each of the most recently used board sizes.
/// A thread that alternates between sizes, for example because it serves several games, therefore need not reallocate
/// memory each time.
#[derive(Debug, Default)]
pub struct Workspaces {
    /// Memory per board size, most recently used first.
    sizes: Vec<WorkspaceOfSize>,
}

/// Memory for boards of the same size.
#[derive(Debug, Default)]
struct WorkspaceOfSize {
    /// Size of the board: number of rows, number of columns.
    size: (usize, usize),
    workspace: Workspace,
    /// Tensor that holds the features of the last call; `None` before the first call.
    features: Option<Tensor>,
    /// Number of boards of the last call.
    count: usize,
}

impl Workspaces {
    /// Returns true if a value of board `board` did not fit into 16 bits in the last call of [`compute_features`]
    /// or in the following calls of [`Head::forward`]. All outputs for the board are then meaningless.
    #[must_use]
    pub fn is_board_saturated(&self, board: usize) -> bool {
        let last = self.sizes.first();
        last.is_some_and(|memory| memory.workspace.is_board_saturated(board))
    }

    /// Returns the memory for boards with the given numbers of rows and columns, and marks it as most recently used.
    fn of_size(&mut self, size: (usize, usize)) -> &mut WorkspaceOfSize {
        match self.sizes.iter().position(|memory| memory.size == size) {
            Some(index) => self.sizes[..=index].rotate_right(1),
            None => {
                self.sizes.truncate(MAX_BOARD_SIZES - 1);
                let memory = WorkspaceOfSize {
                    size,
                    ..WorkspaceOfSize::default()
                };
                self.sizes.insert(0, memory);
            }
        }
        &mut self.sizes[0]
    }
}

/// Computes the features of `planes` (`[n, planes, height, width]`) and `globals` (`[n, globals + profile]`).
///
/// The result has the layout of the kernels, in words of 32 bits. The next call with the same `workspaces` and board size
/// overwrites the result.
///
/// # Errors
/// Returns an error unless both tensors are contiguous, on the CPU and in f32.
pub fn compute_features(
    executor: &CpuExecutor,
    planes: &Tensor,
    globals: &Tensor,
    workspaces: &mut Workspaces,
) -> Result<Tensor> {
    let (count, _, height, width) = planes.dims4()?;
    let memory = workspaces.of_size((height, width));
    let workspace = &mut memory.workspace;
    if executor.prepare(count, (height, width), workspace) || memory.features.is_none() {
        let store = executor.take_feature_storage(workspace);
        let length = store.len();
        memory.features = Some(Tensor::from_vec(store, length, &Device::Cpu)?);
    }
    memory.count = count;
    let Some(features) = &memory.features else {
        candle_core::bail!("internal error: the features tensor has not been allocated");
    };
    let op = KernelOp {
        executor,
        part: NetworkPart::Features,
        count,
        workspace: RefCell::new(workspace),
    };
    features.inplace_op3(planes, globals, &op)?;
    Ok(features.clone())
}

/// Custom operation that computes one part of a network.
struct KernelOp<'a> {
    executor: &'a CpuExecutor,
    part: NetworkPart,
    count: usize,
    workspace: RefCell<&'a mut Workspace>,
}

/// Computes features in place.
impl InplaceOp3 for KernelOp<'_> {
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
            contiguous_slice(planes, planes_layout)?,
            contiguous_slice(globals, globals_layout)?,
        );
        let CpuStorage::F32(store) = features else {
            candle_core::bail!("the features must be f32");
        };
        let workspace = &mut **self.workspace.borrow_mut();
        self.executor
            .compute_features(self.count, inputs, store, workspace);
        Ok(())
    }
}

/// Computes the outputs of a head.
impl CustomOp1 for KernelOp<'_> {
    fn name(&self) -> &'static str {
        "head"
    }

    fn cpu_fwd(&self, features: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        let features = features.as_slice()?;
        let workspace = &mut **self.workspace.borrow_mut();
        let outputs = self
            .executor
            .compute_head(self.part, self.count, features, workspace);
        let shape = (self.count, outputs.len() / self.count);
        Ok((CpuStorage::F32(outputs), shape.into()))
    }
}

/// Returns the content of a contiguous f32 tensor, or an error for any other tensor.
fn contiguous_slice<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&storage.as_slice()?[start..end]),
        None => candle_core::bail!("expected a contiguous tensor, found {layout:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_kept_for_recent_board_sizes() {
        let mut workspaces = Workspaces::default();
        for (size, expected) in [
            (9, 0),
            (13, 0),
            (9, 9),
            (19, 0),
            (7, 0),
            (13, 13),
            (5, 0),
            // The memory of the next two sizes was dropped as the least recently used when another size was added.
            (9, 0),
            (19, 0),
            (13, 13),
            (5, 5),
        ] {
            let memory = workspaces.of_size((size, size));
            assert_eq!(memory.count, expected, "{size}");
            memory.count = size;
        }
        assert_eq!(workspaces.sizes.len(), MAX_BOARD_SIZES);
    }
}
