//! The network: feature extractor, value head and policy head run together on the CPU.
//!
//! Promise: one evaluation uses the calling thread alone, so a search gives each of its threads evaluations of its own
//! and loses nothing to waiting. A network is immutable and can be shared by any number of threads. What it says of a
//! position depends neither on the rest of the batch nor on the threads.

use super::answer::Answer;
use super::desc::check::{FLAT_AREA, PROFILE};
use super::desc::heads::{PolicyHead as PolicyDesc, ValueHead as ValueDesc};
use super::desc::{Inputs, NetDesc, Readout};
use super::error::NetError;
pub use super::input::NetInput;
use super::kernels::ranges::Ranges;
use super::kernels::vocabulary::Vocabulary;
use super::kernels::{Numbers, Plan};
use super::modules::network::Modules;
use super::precision::Arithmetic;
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
    readout: Readout,
    tells_lead: bool,
    arithmetic: Arithmetic,
    instructions: &'static str,
    executor: Executor,
}

/// Who computes the heads' numbers.
#[derive(Debug)]
enum Executor {
    Plan(Box<Plan>),
    Reference(Box<Modules>),
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
    /// Builds the network of a description that has been checked, to be run by the packed plan in the vector
    /// instructions that the environment names (`HONINBO_CPU`), or else the best of the processor.
    ///
    /// # Errors
    /// [`NetError::Vocabulary`] when the environment names none of the processor's.
    pub fn new(desc: &NetDesc) -> Result<Self, NetError> {
        Ok(Self::with_vocabulary(desc, Vocabulary::chosen()?))
    }

    /// The same in these vector instructions.
    #[must_use]
    pub fn with_vocabulary(desc: &NetDesc, vocabulary: Vocabulary) -> Self {
        Self::planned(desc, Plan::new(desc, vocabulary, Numbers::Full), vocabulary)
    }

    /// The same with layers of points in tiles of 16-bit floats: less exact, and much faster where the vocabulary has a
    /// matrix unit. Others multiply in plain Rust, for tests.
    #[must_use]
    pub fn tiled(desc: &NetDesc, vocabulary: Vocabulary) -> Self {
        Self::planned(
            desc,
            Plan::new(desc, vocabulary, Numbers::Tiles),
            vocabulary,
        )
    }

    /// The same with layers of points in pairs of 16-bit integers where the vocabulary gains by them, in 32-bit floats
    /// throughout where it does not. It says nearly what 32-bit floats say, in about two thirds of the time, of positions
    /// whose numbers are not much larger than the ranges.
    ///
    /// # Errors
    /// [`NetError::Ranges`] if these are not ranges of such a network.
    pub fn paired(
        desc: &NetDesc,
        ranges: &Ranges,
        vocabulary: Vocabulary,
    ) -> Result<Self, NetError> {
        let plan = Plan::paired(desc, ranges, vocabulary)?;
        Ok(Self::planned(desc, plan, vocabulary))
    }

    /// The same run by candle's operations: slower, and what the plan is tested against.
    #[must_use]
    pub fn reference(desc: &NetDesc) -> Self {
        let modules = Modules::new(desc);
        let executor = Executor::Reference(Box::new(modules));
        Self::run_by(desc, Arithmetic::F32, "candle", executor)
    }

    /// Whether some of the network's layers need [`Ranges`] to run in pairs of 16-bit integers.
    #[must_use]
    pub fn needs_ranges(desc: &NetDesc) -> bool {
        Plan::needs_ranges(desc)
    }

    fn planned(desc: &NetDesc, plan: Plan, vocabulary: Vocabulary) -> Self {
        let arithmetic = plan.arithmetic();
        let executor = Executor::Plan(Box::new(plan));
        Self::run_by(desc, arithmetic, vocabulary.name(), executor)
    }

    fn run_by(
        desc: &NetDesc,
        arithmetic: Arithmetic,
        instructions: &'static str,
        executor: Executor,
    ) -> Self {
        Self {
            name: desc.name.clone(),
            inputs: desc.inputs,
            profiled: desc.stem.profile.is_some(),
            flat: matches!(desc.policy, PolicyDesc::Flat { .. })
                || matches!(desc.value, ValueDesc::Flat { .. }),
            readout: desc.readout,
            tells_lead: matches!(&desc.value, ValueDesc::Pooled(head) if head.score.is_some()),
            arithmetic,
            instructions,
            executor,
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

    /// Whether it knows leads.
    #[must_use]
    pub fn tells_lead(&self) -> bool {
        self.tells_lead
    }

    /// Whether it is told about the players.
    #[must_use]
    pub fn is_profiled(&self) -> bool {
        self.profiled
    }

    /// Whether it can evaluate positions on boards of that size.
    #[must_use]
    pub fn plays_on(&self, width: usize, height: usize) -> bool {
        !self.flat || (width == height && width * height == FLAT_AREA)
    }

    /// How it runs.
    #[must_use]
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    /// In whose instructions: the name of a vocabulary, or `candle`.
    #[must_use]
    pub fn instructions(&self) -> &'static str {
        self.instructions
    }

    /// Multiply-adds a second that one thread does at best, measured now, of the numbers that this network runs in.
    #[must_use]
    pub fn peak_multiply_adds(&self) -> f64 {
        match &self.executor {
            Executor::Plan(plan) => plan.peak_multiply_adds(),
            Executor::Reference(_) => f64::NAN,
        }
    }

    /// Evaluates the positions of `input`.
    ///
    /// # Errors
    /// [`NetError::Input`] if a length does not fit, [`NetError::BoardSize`] if the net cannot play on such a board,
    /// [`NetError::Output`] if the result is not finite.
    pub fn evaluate(&self, input: &NetInput) -> Result<Vec<NetOutput>, NetError> {
        self.check(input)?;
        let mut outputs = Vec::with_capacity(input.count);
        let each = |index: usize, answer: &Answer| {
            outputs.push(self.read_out(answer, input, index)?);
            Ok(())
        };
        match &self.executor {
            Executor::Plan(plan) => plan.run(input, each)?,
            Executor::Reference(modules) => modules.run(input, each)?,
        }
        Ok(outputs)
    }

    /// How large the numbers inside are on some positions: what [`paired`](Self::paired) needs to know. Positions to be
    /// evaluated may go somewhat beyond; what goes further saturates.
    ///
    /// # Errors
    /// [`NetError::Input`] and [`NetError::BoardSize`] as [`evaluate`](Self::evaluate); [`NetError::Unplain`] if the
    /// network does not run in 32-bit floats by the packed plan.
    pub fn ranges(&self, inputs: &[NetInput<'_>]) -> Result<Ranges, NetError> {
        let (Executor::Plan(plan), Arithmetic::F32) = (&self.executor, self.arithmetic) else {
            return Err(NetError::Unplain {
                found: self.arithmetic.name(),
                by: self.instructions,
            });
        };
        let mut ranges = Ranges::default();
        for input in inputs {
            self.check(input)?;
            plan.observe(input, &mut ranges);
        }
        Ok(ranges)
    }

    /// Whether all inputs have the right lengths.
    fn check(&self, input: &NetInput) -> Result<(), NetError> {
        let area = input.width * input.height;
        if !self.plays_on(input.width, input.height) {
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
        check_length("rules", count, input.no_result.len())
    }

    /// What an answer says of position `index`.
    fn read_out(
        &self,
        answer: &Answer,
        input: &NetInput<'_>,
        index: usize,
    ) -> Result<NetOutput, NetError> {
        let area = input.width * input.height;
        let kinds = answer.policy.chunks_exact(answer.policy.len() / area);
        let policy: Vec<f32> = kinds.map(|kinds| logit(kinds, input.optimism)).collect();
        let pass = (!answer.pass.is_empty()).then(|| logit(&answer.pass, input.optimism));
        let judgement =
            self.readout
                .judge(&answer.result, &answer.score, input.no_result[index], area);
        for (what, numbers) in [
            ("policy", &*policy),
            ("pass", pass.as_slice()),
            ("value", &answer.result),
            ("score", &answer.score),
            ("score", judgement.lead.as_slice()),
            ("ownership", &answer.ownership),
        ] {
            finite(what, numbers)?;
        }
        let owners = answer.ownership.iter().map(|owner| owner.tanh());
        Ok(NetOutput {
            policy,
            pass,
            judgement,
            ownership: (!answer.ownership.is_empty()).then(|| owners.collect()),
        })
    }
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
