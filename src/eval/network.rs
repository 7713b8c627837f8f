//! The evaluator that asks a neural network.
//!
//! Positions are encoded through the request's symmetry; the answer is turned back, illegal moves are masked and the
//! logits of the rest, the pass among them, become priors. Boards of any size share the net; the positions of one call
//! that differ in size are worked off one by one.

use std::path::Path;

use super::calibration::cache_file;
use super::input::{InputBatch, InputFormat};
use super::{EvalError, Evaluation, Evaluator, Request, precision, priors};
use crate::encode::katago::profile::Profile;
use crate::game::point::BoardSize;
use crate::game::position::Position;
use crate::game::rules::Scoring;
use crate::game::symmetry::Symmetry;
use crate::net::desc::NetDesc;
use crate::net::error::NetError;
use crate::net::kernels::vocabulary::Vocabulary;
use crate::net::model::{NetOutput, Network};
use crate::net::precision::Precision;
use crate::net::{own, recognise};
use crate::parallel::scratch_pool::ScratchPool;

/// The pass's prior where the net has no opinion on passing and there are other moves.
const PASS_PRIOR: f32 = 0.001;
/// How far the priors of a net that knows them are those of a player who hopes for surprises; KataGo's value at the
/// root of its searches.
const OPTIMISM: f32 = 0.2;

/// A network, and how to ask it.
#[derive(Debug)]
pub struct NetworkEvaluator {
    network: Network,
    input_format: InputFormat,
    scratch: ScratchPool<InputBatch>,
}

impl From<NetError> for EvalError {
    fn from(error: NetError) -> Self {
        Self::Network(error.to_string())
    }
}

impl NetworkEvaluator {
    /// Asks `network`. A net that imitates humans is told that the game is one of this profile.
    ///
    /// # Errors
    /// When it takes other inputs than are written here.
    pub fn new(network: Network, profile: Profile) -> Result<Self, EvalError> {
        Ok(Self {
            input_format: InputFormat::for_network(&network, profile)?,
            network,
            scratch: ScratchPool::default(),
        })
    }

    /// Reads a net file of any kind and asks its network, which runs in that precision. If it has to be calibrated for
    /// that, all threads of rayon's pool at hand do it, and the user's cache folder keeps what they find.
    ///
    /// # Errors
    /// When it is no usable net file, when the environment names no vocabulary of the processor, and as
    /// [`new`](Self::new).
    pub fn read(path: &Path, profile: Profile, precision: Precision) -> Result<Self, EvalError> {
        Self::from_desc(&mut recognise::read(path)?, profile, precision)
    }

    /// The same of the bytes of a file of this engine.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_bytes(bytes: &[u8], precision: Precision) -> Result<Self, EvalError> {
        Self::from_desc(&mut own::from_bytes(bytes)?, Profile::default(), precision)
    }

    /// The same of a description that has been checked.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_desc(
        desc: &mut NetDesc,
        profile: Profile,
        precision: Precision,
    ) -> Result<Self, EvalError> {
        let vocabulary = Vocabulary::chosen()?;
        let folder = cache_file::folder();
        let network = precision::build_network(desc, precision, vocabulary, folder.as_deref())?;
        Self::new(network, profile)
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Evaluates requests whose turned boards all have the size `transformed_size`.
    fn evaluate_same_size(
        &self,
        transformed_size: BoardSize,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let outputs = self.scratch.with(|input| {
            let positions = requests.iter();
            let positions = positions.map(|request| (request.position, request.symmetry));
            input.write(&self.input_format, positions);
            self.network
                .evaluate(&input.as_net_input(transformed_size, OPTIMISM))
        })?;
        for ((request, evaluation), output) in requests.iter().zip(evaluations).zip(&outputs) {
            write_evaluation(
                output,
                request,
                self.input_format.input_symmetry(request.symmetry),
                evaluation,
            );
            if self.network.readout().is_for_black() {
                evaluation.value = request.position.to_move().to_perspective(evaluation.value);
            }
            evaluation.check()?;
        }
        Ok(())
    }
}

impl Evaluator for NetworkEvaluator {
    fn predicts_lead(&self) -> bool {
        self.network.tells_lead()
    }

    fn supports_size(&self, size: BoardSize) -> bool {
        self.network.plays_on(size.width(), size.height())
    }

    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot a request");
        let transformed_size =
            |request: &Request<'_>| request.symmetry.map_size(request.position.size());
        let Some(first) = requests.first().map(transformed_size) else {
            return Ok(());
        };
        if requests
            .iter()
            .all(|request| transformed_size(request) == first)
        {
            return self.evaluate_same_size(first, requests, evaluations);
        }
        for (request, evaluation) in requests.iter().zip(evaluations) {
            let (request, evaluation) = (std::slice::from_ref(request), evaluation);
            self.evaluate_same_size(
                transformed_size(&request[0]),
                request,
                std::slice::from_mut(evaluation),
            )?;
        }
        Ok(())
    }
}

/// Writes a network's output for a request as its evaluation: turned back from `symmetry`, through which the network
/// saw the board, with illegal moves masked and the lead limited to possible ones.
pub(crate) fn write_evaluation(
    output: &NetOutput,
    request: &Request<'_>,
    symmetry: Symmetry,
    evaluation: &mut Evaluation,
) {
    let size = request.position.size();
    let (area, transformed_size) = (size.area(), symmetry.map_size(size));
    let net_index = |point| transformed_size.index(symmetry.map_point(size, point));
    priors::clear(evaluation, size);
    evaluation.policy.fill(f32::NEG_INFINITY);
    let legal = request.position.legal_points();
    for point in legal {
        evaluation.policy[size.index(point)] = output.policy[net_index(point)];
    }
    match output.pass {
        Some(logit) => evaluation.policy[area] = logit,
        // Alone, it is all there is.
        None if legal.is_empty() => evaluation.policy[area] = 0.0,
        None => {}
    }
    priors::softmax(&mut evaluation.policy);
    if output.pass.is_none() && !legal.is_empty() {
        for prior in &mut evaluation.policy {
            *prior *= 1.0 - PASS_PRIOR;
        }
        evaluation.policy[area] = PASS_PRIOR;
    }
    let output_values = &output.judgement;
    evaluation.value = output_values.value.clamp(-1.0, 1.0);
    evaluation.no_result = output_values.no_result;
    evaluation.score_lead =
        (output_values.lead).map_or(0.0, |lead| clamp_lead(request.position, lead));
    evaluation.details = output_values.details;
    if let (true, Some(owners)) = (request.ownership, &output.ownership) {
        let owners = size
            .points()
            .map(|point| owners[net_index(point)].clamp(-1.0, 1.0));
        evaluation.ownership.extend(owners);
    }
}

/// The lead of the side to move, as far as a board of that size can hold it: networks know little of the smallest ones.
/// Under territory scoring, where stones that were taken count too, no more than twice the board is thought possible.
fn clamp_lead(position: &Position, lead: f32) -> f32 {
    let area = position.size().area() as f32;
    let max_lead = match position.rules().scoring {
        Scoring::Area => area,
        Scoring::Territory => 2.0 * area,
    };
    let for_white = position.white_bonus_half_points() as f32 / 2.0;
    let empty_board_lead = position.to_move().to_perspective(-for_white);
    lead.clamp(empty_board_lead - max_lead, empty_board_lead + max_lead)
}
