//! A network lowered to a list of operations on numbered buffers.
//!
//! [`lower`] folds norms into the layers before them, orders the operations, and assigns buffers to the values passed
//! between them. The executor later packs the weights for its instruction set. The three parts of a network
//! ([`NetworkPart`](super::part::NetworkPart)) can be run separately. Both heads read the buffer [`Program::features`].
//!
//! Buffers contain activations, as one row of channels per point of each board or one row per board. A *copy* of a
//! buffer contains the same values in another number format, or after a norm and an activation function. If possible,
//! the layer that computes the activations also stores the copy. Otherwise, a separate operation ([`Op::Copy`])
//! computes the copy.

mod blocks;
mod builder;
mod heads;
pub mod ops;
pub mod storage;

use std::mem::take;

use super::folded::Layer;
use super::spec::{NetSpec, TrunkNorm};
use builder::{Builder, Dest};
use ops::{BufferId, BufferShape, CopyOp, HeadOutputs, Op, RowKind};
use storage::StorageRules;

#[derive(Debug)]
pub struct Program {
    /// Operations of each [`NetworkPart`](super::part::NetworkPart), in execution order.
    pub parts: [Vec<Op>; 3],
    pub buffers: Vec<BufferShape>,
    /// Input planes, one row per point.
    pub planes: BufferId,
    /// Global inputs, one row per board; `None` if the network has none.
    pub globals: Option<BufferId>,
    /// Player profile, one row per board; `None` if the network has no profile input.
    pub profile: Option<BufferId>,
    /// Output of the feature extractor, one row per point.
    pub features: BufferId,
    /// Outputs of the heads: logits of the points and of the pass; game result, score and ownership.
    pub outputs: [HeadOutputs; 2],
    /// Largest kernel radius of the layers that read the input planes, in points.
    pub max_input_kernel_radius: usize,
    /// Largest kernel radius of all other layers, in points.
    pub max_kernel_radius: usize,
}

/// Lowers a checked network description to a program for an executor with the given storage rules.
pub fn lower(spec: &NetSpec, rules: StorageRules) -> Program {
    let mut builder = Builder::new(rules);
    let stem = &spec.stem;
    let planes = builder.claim_input(stem.conv.inputs);
    let mut vectors = Dest::default();
    let globals = stem.global.as_ref().map(|global| {
        let globals = builder.claim_f32(RowKind::Board, global.inputs);
        vectors.per_board = Some(builder.layer(Layer::linear(global), globals, Dest::default()));
        globals
    });
    let profile = stem.profile.as_ref().map(|encoder| {
        let profile = builder.claim_f32(RowKind::Board, encoder.first.inputs);
        let first = Dest::new(encoder.first_activation);
        let x = builder.layer(Layer::linear(&encoder.first), profile, first);
        let second = Dest::new(encoder.second_activation);
        let x = builder.layer(Layer::linear(&encoder.second), x, second);
        let sum = Dest {
            residual: vectors.per_board,
            ..Dest::default()
        };
        vectors.per_board = Some(builder.layer(Layer::linear(&encoder.out), x, sum));
        profile
    });
    let mut x = builder.layer(Layer::conv(&stem.conv), planes, vectors);
    let max_input_kernel_radius = take(&mut builder.max_kernel_radius);
    if let Some((norm, activation)) = &stem.norm {
        let (from, to) = (x, builder.claim_f32(RowKind::Point, norm.channels));
        let copy = CopyOp {
            to,
            norm: Some(norm.clone()),
            activation: *activation,
        };
        builder.push(Op::Copy { from, copy });
        x = to;
    }
    builder.blocks(&spec.blocks, x);
    let features = builder.trunk_end(&spec.trunk_norm, x);
    let features_end = builder.ops.len();
    let policy = builder.policy_head(&spec.policy, features);
    let policy_end = builder.ops.len();
    let value = builder.value_head(&spec.value, features);
    let mut feature_ops = builder.ops;
    let value_ops = feature_ops.split_off(policy_end);
    let policy_ops = feature_ops.split_off(features_end);
    Program {
        parts: [feature_ops, policy_ops, value_ops],
        buffers: builder.buffers,
        planes,
        globals,
        profile,
        features,
        outputs: [policy, value],
        max_input_kernel_radius,
        max_kernel_radius: builder.max_kernel_radius,
    }
}

impl Builder {
    /// Applies the norm and the activation at the end of the trunk. Returns the buffer of the features.
    fn trunk_end(&mut self, norm: &TrunkNorm, x: BufferId) -> BufferId {
        match norm {
            TrunkNorm::None => self.convert_to_layer_input(x),
            TrunkNorm::Affine { norm, act } => self.copy(x, Some(norm), *act),
            TrunkNorm::Rms { norm, act } => {
                let to = self.claim_f32(RowKind::Point, norm.channels);
                let norm = norm.clone();
                self.push(Op::RmsNorm { from: x, to, norm });
                self.push(Op::Activate(to, *act));
                self.convert_to_layer_input(to)
            }
        }
    }
}
