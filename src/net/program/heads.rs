//! Lowering of the policy and value heads.

use super::builder::{Builder, Dest};
use super::ops::{BufferId, FlattenOp, HeadOutputs, Op, RowKind};
use crate::net::folded::Layer;
use crate::net::spec::heads::{FLAT_AREA, PolicyHead, PooledPolicy, PooledValue, ValueHead};
use crate::net::spec::layers::{Activation, Affine, Conv, Linear, Pooling};

impl Builder {
    /// Adds the policy head and returns its output buffers.
    pub fn policy_head(&mut self, head: &PolicyHead, features: BufferId) -> HeadOutputs {
        match head {
            PolicyHead::Pooled(head) => self.pooled_policy(head, features),
            PolicyHead::Flat { conv, norm, out } => {
                let flat = self.flat(conv, norm, features);
                vec![self.linear(out, flat, Activation::Identity)]
            }
        }
    }

    fn pooled_policy(&mut self, head: &PooledPolicy, features: BufferId) -> HeadOutputs {
        let pool_conv = Layer::conv(&head.pool_conv).with_folded_norm(&head.pool_norm);
        let g = self.layer(pool_conv, features, Dest::new(head.pool_act));
        let board = self.pool(g, head.pool_conv.outputs, Pooling::Max);
        let linear = Layer::linear(&head.pool_linear).with_folded_norm(&head.norm);
        let dest = Dest {
            per_board: Some(self.layer(linear, board, Dest::default())),
            shares_input: true,
            ..Dest::for_layers(head.act)
        };
        let conv = Layer::conv(&head.conv).with_folded_norm_scale(&head.norm);
        let y = self.layer(conv, features, dest);
        let points = self.layer(Layer::conv(&head.out), y, Dest::default());
        let mut outputs = vec![(points, head.out.outputs)];
        if let Some(pass) = &head.pass {
            let from = match &pass.hidden {
                None => board,
                Some((hidden, activation)) => self.linear(hidden, board, *activation).0,
            };
            outputs.push(self.linear(&pass.out, from, Activation::Identity));
        }
        outputs
    }

    /// Adds the value head and returns its output buffers.
    pub fn value_head(&mut self, head: &ValueHead, features: BufferId) -> HeadOutputs {
        match head {
            ValueHead::Pooled(head) => self.pooled_value(head, features),
            ValueHead::Flat {
                conv,
                norm,
                hidden,
                result,
            } => {
                let flat = self.flat(conv, norm, features);
                let (hidden, _) = self.linear(hidden, flat, Activation::Relu);
                vec![self.linear(result, hidden, Activation::Identity)]
            }
        }
    }

    fn pooled_value(&mut self, head: &PooledValue, features: BufferId) -> HeadOutputs {
        let conv = Layer::conv(&head.conv).with_folded_norm(&head.norm);
        let v = self.layer(conv, features, Dest::new(head.act));
        let ownership = head.ownership.as_ref();
        let ownership = ownership.map(|conv| (conv, self.convert_to_layer_input(v)));
        let board = self.pool(v, head.conv.outputs, Pooling::Mean);
        let (hidden, _) = self.linear(&head.hidden, board, head.hidden_act);
        let mut outputs = vec![self.linear(&head.result, hidden, Activation::Identity)];
        if let Some(score) = &head.score {
            outputs.push(self.linear(score, hidden, Activation::Identity));
        }
        if let Some((conv, points)) = ownership {
            let points = self.layer(Layer::conv(conv), points, Dest::default());
            outputs.push((points, conv.outputs));
        }
        outputs
    }

    /// Adds a linear layer. Returns the buffer of its output and the number of outputs.
    fn linear(
        &mut self,
        linear: &Linear,
        from: BufferId,
        activation: Activation,
    ) -> (BufferId, usize) {
        let to = self.layer(Layer::linear(linear), from, Dest::new(activation));
        (to, linear.outputs)
    }

    /// Adds a convolution with norm and ReLU, and flattens the result to one row per board. Returns the buffer of these
    /// rows.
    fn flat(&mut self, conv: &Conv, norm: &Affine, features: BufferId) -> BufferId {
        let layer = Layer::conv(conv).with_folded_norm(norm);
        let from = self.layer(layer, features, Dest::new(Activation::Relu));
        let to = self.claim_f32(RowKind::Board, conv.outputs * FLAT_AREA);
        self.push(Op::Flatten(FlattenOp {
            from,
            to,
            channels: conv.outputs,
        }));
        to
    }
}
