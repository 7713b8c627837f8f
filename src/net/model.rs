//! The network: feature extractor, value head and policy head run together on the CPU.
//!
//! Promise: one evaluation uses the calling thread alone, so a search gives each of its threads evaluations of its own
//! and loses nothing to waiting. A network is immutable and can be shared by any number of threads. A batch is worked
//! off position by position, because one position's activations stay in the caches and a larger matrix gains nothing.

use candle_core::{Device, Tensor};

use super::desc::check::{FLAT_AREA, PROFILE};
use super::desc::heads::{PolicyHead as PolicyDesc, ValueHead as ValueDesc};
use super::desc::{Inputs, NetDesc, Readout};
use super::error::NetError;
use super::modules::grid::{Grid, Kernel};
use super::modules::policy::{Logits, PolicyHead};
use super::modules::tower::Tower;
use super::modules::value::{Outcome, ValueHead};
use super::readout::{Judgement, logit};

/// A network ready to evaluate positions.
#[derive(Debug)]
pub struct Network {
    name: String,
    inputs: Inputs,
    /// Whether it is told about the players.
    profiled: bool,
    /// Whether it is made for 19x19 alone.
    flat: bool,
    tower: Tower,
    policy: PolicyHead,
    value: ValueHead,
    readout: Readout,
    kernels: Vec<Kernel>,
}

/// Encoded positions, all on boards of the same size and all of whose points are on board.
#[derive(Clone, Copy, Debug)]
pub struct NetInput<'a> {
    /// Number of positions.
    pub count: usize,
    /// Columns of the boards, at least 1.
    pub width: usize,
    /// Rows of the boards, at least 1.
    pub height: usize,
    /// `[count, planes, height, width]`
    pub planes: &'a [f32],
    /// `[count, globals]`; empty for a net without global inputs.
    pub globals: &'a [f32],
    /// `[count, 192]`; empty for a net that is not told about the players.
    pub profiles: &'a [f32],
    /// `[count]`: whether the rules know games without result.
    pub no_result: &'a [bool],
    /// From 0 to 1: how far the policy is that of a player who hopes for surprises, if the net has such a one.
    pub optimism: f32,
}

/// What the network says about a position, from the side of the player to move. All numbers are finite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetOutput {
    /// Logits of the points, `[height, width]`; illegal moves are not masked.
    pub policy: Vec<f32>,
    /// Logit of the pass, on the same scale as those of the points.
    pub pass: Option<f32>,
    /// Who wins and by how much.
    pub judgement: Judgement,
    /// Expected owner of each point, `[height, width]`, from -1 (the opponent's) to 1 (own).
    pub ownership: Option<Vec<f32>>,
}

impl Network {
    /// Builds the network of a description that has been checked.
    #[must_use]
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
            name: desc.name.clone(),
            inputs: desc.inputs,
            profiled: desc.stem.profile.is_some(),
            flat: matches!(desc.policy, PolicyDesc::Flat { .. })
                || matches!(desc.value, ValueDesc::Flat { .. }),
            tower,
            policy,
            value,
            readout: desc.readout,
            kernels,
        }
    }

    /// What its file calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it looks at.
    #[must_use]
    pub fn inputs(&self) -> Inputs {
        self.inputs
    }

    /// What the numbers of its heads mean.
    #[must_use]
    pub fn readout(&self) -> Readout {
        self.readout
    }

    /// Whether it is told about the players.
    #[must_use]
    pub fn is_profiled(&self) -> bool {
        self.profiled
    }

    /// Evaluates the positions of `input`.
    ///
    /// # Errors
    /// [`NetError::Input`] if a length does not fit, [`NetError::BoardSize`] if the net cannot play on such a board,
    /// [`NetError::Output`] if the result is not finite.
    pub fn evaluate(&self, input: &NetInput) -> Result<Vec<NetOutput>, NetError> {
        let lengths = self.check(input)?;
        let grid = Grid::new(1, input.height, input.width, &self.kernels);
        (0..input.count)
            .map(|index| {
                let [planes, globals, profile] = lengths;
                let part = |numbers: &[f32], length: usize| {
                    Tensor::from_slice(
                        &numbers[index * length..][..length],
                        (1, length),
                        &Device::Cpu,
                    )
                };
                let planes = part(input.planes, planes)?
                    .reshape((self.inputs.planes(), grid.area()))?
                    .t()?
                    .contiguous()?;
                let globals = part(input.globals, globals)?;
                let profile = self
                    .profiled
                    .then(|| part(input.profiles, profile))
                    .transpose()?;
                let features = self
                    .tower
                    .forward(&planes, &globals, profile.as_ref(), &grid)?;
                let logits = self.policy.forward(&features, &grid)?;
                let outcome = self.value.forward(&features, &grid)?;
                self.read_out(
                    &logits,
                    &outcome,
                    input.no_result[index],
                    input.optimism,
                    grid.area(),
                )
            })
            .collect()
    }

    /// The lengths of one position's planes, globals and profile, if all inputs have the right ones.
    fn check(&self, input: &NetInput) -> Result<[usize; 3], NetError> {
        let area = input.width * input.height;
        if self.flat && (input.width != input.height || area != FLAT_AREA) {
            return Err(NetError::BoardSize {
                width: input.width,
                height: input.height,
            });
        }
        let planes = self.inputs.planes() * area;
        let globals = self.inputs.globals();
        let profile = if self.profiled { PROFILE } else { 0 };
        let count = input.count;
        check_length("planes", count * planes, input.planes.len())?;
        check_length("globals", count * globals, input.globals.len())?;
        check_length("profiles", count * profile, input.profiles.len())?;
        check_length("rules", count, input.no_result.len())?;
        Ok([planes, globals, profile])
    }

    /// The heads' tensors of one position as plain numbers.
    fn read_out(
        &self,
        logits: &Logits,
        outcome: &Outcome,
        no_result: bool,
        optimism: f32,
        area: usize,
    ) -> Result<NetOutput, NetError> {
        let kinds = logits.points.dim(1)?;
        let policy: Vec<f32> = logits
            .points
            .flatten_all()?
            .to_vec1::<f32>()?
            .chunks_exact(kinds)
            .map(|kinds| logit(kinds, optimism))
            .collect();
        finite("policy", &policy)?;
        let pass = optional("pass", logits.pass.as_ref())?;
        let result = optional("value", Some(&outcome.result))?;
        let score = optional("score", outcome.score.as_ref())?;
        let mut ownership = optional("ownership", outcome.ownership.as_ref())?;
        ownership.iter_mut().for_each(|owner| *owner = owner.tanh());
        Ok(NetOutput {
            policy,
            pass: (!pass.is_empty()).then(|| logit(&pass, optimism)),
            judgement: self.readout.judge(&result, &score, no_result, area),
            ownership: outcome.ownership.is_some().then_some(ownership),
        })
    }
}

/// The numbers of a tensor, all finite; none if there is none.
fn optional(what: &'static str, tensor: Option<&Tensor>) -> Result<Vec<f32>, NetError> {
    let numbers = match tensor {
        Some(tensor) => tensor.flatten_all()?.to_vec1::<f32>()?,
        None => Vec::new(),
    };
    finite(what, &numbers)?;
    Ok(numbers)
}

fn finite(what: &'static str, numbers: &[f32]) -> Result<(), NetError> {
    if numbers.iter().all(|number| number.is_finite()) {
        Ok(())
    } else {
        Err(NetError::Output(what))
    }
}

fn check_length(what: &'static str, expected: usize, found: usize) -> Result<(), NetError> {
    if expected == found {
        Ok(())
    } else {
        Err(NetError::Input {
            what,
            expected,
            found,
        })
    }
}
