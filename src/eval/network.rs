//! The evaluator that asks a neural network.
//!
//! Positions are encoded through the request's symmetry; the answer is turned back, illegal moves are masked and the
//! logits of the rest, the pass among them, become priors. Boards of any size share the net; the positions of one call
//! that differ in size are worked off one by one.

use std::path::Path;

use super::pool::Pool;
use super::{EvalError, Evaluation, Evaluator, Request, priors};
use crate::encode::{Encoder, Encoding};
use crate::game::point::BoardSize;
use crate::net::config::NetConfig;
use crate::net::error::NetError;
use crate::net::model::{NetInput, NetOutput, Network};

/// The pass's prior where the net has no opinion on passing and there are other moves.
const PASS_PRIOR: f32 = 0.001;

/// A network, and how to ask it.
#[derive(Debug)]
pub struct NetworkEvaluator {
    network: Network,
    encoding: Encoding,
    scratch: Pool<Scratch>,
}

/// The input of one call.
#[derive(Debug, Default)]
struct Scratch {
    encoder: Encoder,
    planes: Vec<f32>,
    globals: Vec<f32>,
}

impl From<NetError> for EvalError {
    fn from(error: NetError) -> Self {
        Self::Network(error.to_string())
    }
}

impl NetworkEvaluator {
    /// Asks `network`.
    ///
    /// # Errors
    /// When it takes other planes and globals than are written here.
    pub fn new(network: Network) -> Result<Self, EvalError> {
        let config = network.config();
        let (planes, globals) = (config.planes, config.globals);
        let encoding = Encoding::with_counts(planes, globals).ok_or_else(|| {
            let counts = |known: Encoding| {
                format!("{} planes and {} globals", known.planes(), known.globals())
            };
            EvalError::Network(format!(
                "net {}: expected {} or {}, found {planes} planes and {globals} globals",
                config.name,
                counts(Encoding::FULL),
                counts(Encoding::CLASSIC),
            ))
        })?;
        Ok(Self {
            network,
            encoding,
            scratch: Pool::default(),
        })
    }

    /// Reads a net file and asks its network.
    ///
    /// # Errors
    /// When it is no usable net file, and as [`new`](Self::new).
    pub fn read(path: &Path) -> Result<Self, EvalError> {
        Self::new(Network::read(path)?)
    }

    /// The description of the network.
    #[must_use]
    pub fn config(&self) -> &NetConfig {
        self.network.config()
    }

    /// Evaluates requests whose turned boards all have the size `turned`.
    fn evaluate_alike(
        &self,
        turned: BoardSize,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        let output = self.scratch.with(|scratch| {
            scratch.encode(self.encoding, turned, requests);
            self.network.evaluate(&NetInput {
                count: requests.len(),
                width: turned.width(),
                height: turned.height(),
                planes: &scratch.planes,
                globals: &scratch.globals,
            })
        })?;
        for (index, (request, evaluation)) in requests.iter().zip(evaluations).enumerate() {
            read_answer(&output, index, request, evaluation);
            evaluation.check()?;
        }
        Ok(())
    }
}

impl Evaluator for NetworkEvaluator {
    fn evaluate(
        &self,
        requests: &[Request<'_>],
        evaluations: &mut [Evaluation],
    ) -> Result<(), EvalError> {
        assert_eq!(requests.len(), evaluations.len(), "one slot a request");
        let turned = |request: &Request<'_>| request.symmetry.size(request.position.size());
        let Some(first) = requests.first().map(turned) else {
            return Ok(());
        };
        if requests.iter().all(|request| turned(request) == first) {
            return self.evaluate_alike(first, requests, evaluations);
        }
        for (request, evaluation) in requests.iter().zip(evaluations) {
            let (request, evaluation) = (std::slice::from_ref(request), evaluation);
            self.evaluate_alike(
                turned(&request[0]),
                request,
                std::slice::from_mut(evaluation),
            )?;
        }
        Ok(())
    }
}

impl Scratch {
    fn encode(&mut self, encoding: Encoding, turned: BoardSize, requests: &[Request<'_>]) {
        let (planes, globals) = (encoding.planes() * turned.area(), encoding.globals());
        self.planes.resize(requests.len() * planes, 0.0);
        self.globals.resize(requests.len() * globals, 0.0);
        for (index, request) in requests.iter().enumerate() {
            self.encoder.encode(
                encoding,
                request.position,
                request.symmetry,
                &mut self.planes[index * planes..][..planes],
                &mut self.globals[index * globals..][..globals],
            );
        }
    }
}

/// Turns the net's answer number `index` back.
fn read_answer(
    output: &NetOutput,
    index: usize,
    request: &Request<'_>,
    evaluation: &mut Evaluation,
) {
    let size = request.position.size();
    let (area, turned) = (size.area(), request.symmetry.size(size));
    let seen = |point| index * area + turned.index(request.symmetry.point(size, point));
    let number = |numbers: &Option<Vec<f32>>| numbers.as_ref().map(|numbers| numbers[index]);
    priors::clear(evaluation, size);
    evaluation.policy.fill(f32::NEG_INFINITY);
    let legal = request.position.legal_points();
    for point in legal {
        evaluation.policy[size.index(point)] = output.policy[seen(point)];
    }
    match number(&output.pass) {
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
    evaluation.value = output.value[index].clamp(-1.0, 1.0);
    evaluation.score_lead = number(&output.score_lead).unwrap_or(0.0);
    if let (true, Some(owners)) = (request.ownership, &output.ownership) {
        let owners = size
            .points()
            .map(|point| owners[seen(point)].clamp(-1.0, 1.0));
        evaluation.ownership.extend(owners);
    }
}
