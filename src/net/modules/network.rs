//! Complete reference network: feature extractor, policy head and value head.

use candle_core::{Device, Result, Tensor};

use super::grid::{Grid, Kernel};
use super::policy::PolicyHead;
use super::tower::Tower;
use super::value::ValueHead;
use crate::net::answer::Answer;
use crate::net::desc::NetDesc;
use crate::net::error::NetError;
use crate::net::input::NetInput;

/// Network built from candle modules.
#[derive(Debug)]
pub struct Modules {
    tower: Tower,
    policy: PolicyHead,
    value: ValueHead,
    kernels: Vec<Kernel>,
}

impl Modules {
    /// Builds the network from a checked description.
    pub fn new(desc: &NetDesc) -> Self {
        let (tower, policy, value) = (
            Tower::new(desc),
            PolicyHead::new(&desc.policy),
            ValueHead::new(&desc.value),
        );
        let mut kernels = Vec::new();
        tower.kernels(&mut kernels);
        policy.kernels(&mut kernels);
        value.kernels(&mut kernels);
        kernels.sort_unstable();
        kernels.dedup();
        kernels.retain(|kernel| *kernel != (1, 1));
        Self {
            tower,
            policy,
            value,
            kernels,
        }
    }

    /// Evaluates all positions and passes each result to `each`, in order.
    ///
    /// Positions are evaluated one at a time, so that their activations stay in the CPU caches. The caller must have
    /// checked the lengths of the input.
    ///
    /// # Errors
    /// Returns the first error of `each` or of candle.
    pub fn run(
        &self,
        input: &NetInput<'_>,
        mut each: impl FnMut(usize, &Answer) -> std::result::Result<(), NetError>,
    ) -> std::result::Result<(), NetError> {
        let grid = Grid::new(1, input.height, input.width, &self.kernels);
        for index in 0..input.count {
            let answer = self.answer(input, index, &grid)?;
            each(index, &answer)?;
        }
        Ok(())
    }

    fn answer(&self, input: &NetInput<'_>, index: usize, grid: &Grid) -> Result<Answer> {
        let part = |numbers: &[f32]| {
            let length = numbers.len() / input.count;
            let numbers = &numbers[index * length..][..length];
            Tensor::from_slice(numbers, (1, length), &Device::Cpu)
        };
        let planes = input.planes.len() / input.count / grid.area();
        let planes = part(input.planes)?
            .reshape((planes, grid.area()))?
            .t()?
            .contiguous()?;
        let profile = match input.profiles {
            [] => None,
            profiles => Some(part(profiles)?),
        };
        let globals = part(input.globals)?;
        let features = self
            .tower
            .forward(&planes, &globals, profile.as_ref(), grid)?;
        let logits = self.policy.forward(&features, grid)?;
        let outcome = self.value.forward(&features, grid)?;
        Ok(Answer {
            policy: numbers(Some(&logits.points))?,
            pass: numbers(logits.pass.as_ref())?,
            result: numbers(Some(&outcome.result))?,
            score: numbers(outcome.score.as_ref())?,
            ownership: numbers(outcome.ownership.as_ref())?,
        })
    }
}

/// Copies the elements of a tensor. Returns an empty vector for `None`.
fn numbers(tensor: Option<&Tensor>) -> Result<Vec<f32>> {
    match tensor {
        Some(tensor) => tensor.flatten_all()?.to_vec1(),
        None => Ok(Vec::new()),
    }
}
