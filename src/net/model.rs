//! The network: feature extractor, value head and policy head run together on the CPU.
//!
//! Promise: one evaluation uses the calling thread alone, so a search gives each of its threads evaluations of its own
//! and loses nothing to waiting. A network is immutable and can be shared by any number of threads. A batch is worked
//! off position by position, because one position's activations stay in the caches and a larger matrix gains nothing.

use std::path::Path;

use candle_core::{Device, Tensor};

use super::config::NetConfig;
use super::error::NetError;
use super::layer::Grid;
use super::policy::PolicyHead;
use super::tower::Tower;
use super::value::ValueHead;
use super::weights::Weights;

/// A network ready to evaluate positions.
#[derive(Debug)]
pub struct Network {
    config: NetConfig,
    tower: Tower,
    policy: PolicyHead,
    value: ValueHead,
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
}

/// What the network says about each position, from the side of the player to move. All numbers are finite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetOutput {
    /// Logits of the points, `[count, height, width]`; illegal moves are not masked.
    pub policy: Vec<f32>,
    /// Logits of the pass, `[count]`, on the same scale as those of the points.
    pub pass: Option<Vec<f32>>,
    /// Expected result, `[count]`, from -1 (lost) to 1 (won).
    pub value: Vec<f32>,
    /// Expected score lead in points, `[count]`.
    pub score_lead: Option<Vec<f32>>,
    /// Expected owner of each point, `[count, height, width]`, from -1 (the opponent's) to 1 (own).
    pub ownership: Option<Vec<f32>>,
}

/// The same as [`NetOutput`] in tensors; the points of a board lie in one dimension.
#[derive(Debug)]
pub struct RawOutput {
    /// `[count, height * width]`
    pub policy: Tensor,
    /// `[count]`
    pub pass: Option<Tensor>,
    /// `[count]`
    pub value: Tensor,
    /// `[count]`
    pub score_lead: Option<Tensor>,
    /// `[count, height * width]`
    pub ownership: Option<Tensor>,
}

impl Network {
    /// Builds the network from its weights.
    ///
    /// # Errors
    /// [`NetError::Candle`] if candle fails.
    pub fn new(weights: &Weights) -> Result<Self, NetError> {
        Ok(Self {
            config: weights.config().clone(),
            tower: Tower::load(weights)?,
            policy: PolicyHead::load(weights)?,
            value: ValueHead::load(weights)?,
        })
    }

    /// Reads a net file.
    ///
    /// # Errors
    /// As [`Weights::read`].
    pub fn read(path: &Path) -> Result<Self, NetError> {
        Self::new(&Weights::read(path)?)
    }

    /// Reads the bytes of a net file.
    ///
    /// # Errors
    /// As [`Weights::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetError> {
        Self::new(&Weights::from_bytes(bytes)?)
    }

    /// The description of the network.
    #[must_use]
    pub fn config(&self) -> &NetConfig {
        &self.config
    }

    /// Evaluates the positions of `input`.
    ///
    /// # Errors
    /// [`NetError::Input`] if a length does not fit, [`NetError::Output`] if the result is not finite.
    pub fn evaluate(&self, input: &NetInput) -> Result<NetOutput, NetError> {
        let area = input.width * input.height;
        let planes = self.config.planes * area;
        check_length("planes", input.count * planes, input.planes.len())?;
        check_length(
            "globals",
            input.count * self.config.globals,
            input.globals.len(),
        )?;
        let mut output = self.empty_output();
        for index in 0..input.count {
            let part = |numbers: &[f32], length: usize| {
                numbers[index * length..(index + 1) * length].to_vec()
            };
            let shape = (1, self.config.planes, input.height, input.width);
            let planes = Tensor::from_vec(part(input.planes, planes), shape, &Device::Cpu)?;
            let globals = part(input.globals, self.config.globals);
            let globals = Tensor::from_vec(globals, (1, self.config.globals), &Device::Cpu)?;
            self.forward(&planes, &globals)?.append_to(&mut output)?;
        }
        output.check_finite()?;
        Ok(output)
    }

    /// The computation itself: planes `[count, planes, height, width]`, globals `[count, globals]`, both F32 on the
    /// CPU.
    ///
    /// # Errors
    /// [`NetError::Candle`] for tensors of other shapes.
    pub fn forward(&self, planes: &Tensor, globals: &Tensor) -> Result<RawOutput, NetError> {
        let (count, channels, height, width) = planes.dims4()?;
        let grid = &Grid::new(count, height, width);
        let planes = planes
            .permute((0, 2, 3, 1))?
            .contiguous()?
            .reshape((count * height * width, channels))?;
        let features = self.tower.forward(&planes, globals, grid)?;
        let (policy, pass) = self.policy.forward(&features, grid)?;
        let (value, score_lead, ownership) = self.value.forward(&features, grid)?;
        Ok(RawOutput {
            policy,
            pass,
            value,
            score_lead,
            ownership,
        })
    }

    /// An output for no positions, with the parts this network has.
    fn empty_output(&self) -> NetOutput {
        let part = |present: bool| present.then(Vec::new);
        NetOutput {
            policy: Vec::new(),
            pass: part(self.config.pass),
            value: Vec::new(),
            score_lead: part(self.config.score),
            ownership: part(self.config.ownership),
        }
    }
}

impl RawOutput {
    fn append_to(&self, output: &mut NetOutput) -> candle_core::Result<()> {
        let append = |numbers: &mut Vec<f32>, tensor: &Tensor| -> candle_core::Result<()> {
            numbers.extend(tensor.flatten_all()?.to_vec1::<f32>()?);
            Ok(())
        };
        append(&mut output.policy, &self.policy)?;
        append(&mut output.value, &self.value)?;
        let optional = [
            (&mut output.pass, &self.pass),
            (&mut output.score_lead, &self.score_lead),
            (&mut output.ownership, &self.ownership),
        ];
        for (numbers, tensor) in optional {
            if let (Some(numbers), Some(tensor)) = (numbers, tensor) {
                append(numbers, tensor)?;
            }
        }
        Ok(())
    }
}

impl NetOutput {
    fn check_finite(&self) -> Result<(), NetError> {
        let parts = [
            ("policy", Some(&self.policy)),
            ("pass", self.pass.as_ref()),
            ("value", Some(&self.value)),
            ("score", self.score_lead.as_ref()),
            ("ownership", self.ownership.as_ref()),
        ];
        let finite = |numbers: &Vec<f32>| numbers.iter().all(|number| number.is_finite());
        match parts
            .iter()
            .find(|(_, numbers)| numbers.is_some_and(|numbers| !finite(numbers)))
        {
            Some((name, _)) => Err(NetError::Output(name)),
            None => Ok(()),
        }
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
