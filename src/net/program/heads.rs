//! Lowering of the policy and value heads.

use super::builder::{Builder, Dest};
use super::ops::{BufferId, Op, PolicyLogitLayout, PolicyOutputs, RowKind, ValueOutputs};
use crate::net::folded::Layer;
use crate::net::spec::heads::{FLAT_AREA, PolicyHead, PooledPolicy, PooledValue, ValueHead};
use crate::net::spec::layers::{Activation, Affine, Conv, Linear, Pooling};

impl Builder {
    /// Adds the policy head and returns its output buffers.
    pub fn policy_head(&mut self, head: &PolicyHead, features: BufferId) -> PolicyOutputs {
        match head {
            PolicyHead::Pooled(head) => self.pooled_policy(head, features),
            PolicyHead::Flat { conv, norm, out } => {
                let flat = self.flat(conv, norm, features);
                PolicyOutputs {
                    points: PolicyLogitLayout::Flat(self.linear(out, flat)),
                    pass: None,
                }
            }
        }
    }

    fn pooled_policy(&mut self, head: &PooledPolicy, features: BufferId) -> PolicyOutputs {
        let pool_conv = Layer::conv(&head.pool_conv).with_folded_norm(&head.pool_norm);
        let g = self.layer(pool_conv, features, Dest::new(head.pool_act));
        let board = self.pool(g, head.pool_conv.outputs, Pooling::Max);
        let linear = Layer::linear(&head.pool_linear).with_folded_norm(&head.norm);
        let per_board = self.layer(linear, board, Dest::new(Activation::Identity));
        let dest = Dest {
            per_board: Some(per_board),
            layers_only: true,
            ..Dest::new(head.act)
        };
        let conv = Layer::conv(&head.conv).with_folded_norm_scale(&head.norm);
        let y = self.layer_with_shared_input(conv, features, dest);
        let points = self.layer(Layer::conv(&head.out), y, Dest::default());
        let pass = head.pass.as_ref().map(|pass| {
            let from = match &pass.hidden {
                None => board,
                Some((hidden, activation)) => {
                    self.layer(Layer::linear(hidden), board, Dest::new(*activation))
                }
            };
            (self.linear(&pass.out, from), pass.out.outputs)
        });
        PolicyOutputs {
            points: PolicyLogitLayout::PerPoint(points, head.out.outputs),
            pass,
        }
    }

    /// Adds the value head and returns its output buffers.
    pub fn value_head(&mut self, head: &ValueHead, features: BufferId) -> ValueOutputs {
        match head {
            ValueHead::Pooled(head) => self.pooled_value(head, features),
            ValueHead::Flat {
                conv,
                norm,
                hidden,
                result,
            } => {
                let flat = self.flat(conv, norm, features);
                let hidden = self.layer(Layer::linear(hidden), flat, Dest::new(Activation::Relu));
                ValueOutputs {
                    result: (self.linear(result, hidden), result.outputs),
                    score: None,
                    ownership: None,
                }
            }
        }
    }

    fn pooled_value(&mut self, head: &PooledValue, features: BufferId) -> ValueOutputs {
        let conv = Layer::conv(&head.conv).with_folded_norm(&head.norm);
        let v = self.layer(conv, features, Dest::new(head.act));
        let points = head
            .ownership
            .as_ref()
            .map(|_| self.convert_to_layer_input(v));
        let board = self.pool(v, head.conv.outputs, Pooling::Mean);
        let hidden = self.layer(
            Layer::linear(&head.hidden),
            board,
            Dest::new(head.hidden_act),
        );
        let result = (self.linear(&head.result, hidden), head.result.outputs);
        let score = head
            .score
            .as_ref()
            .map(|score| (self.linear(score, hidden), score.outputs));
        let ownership = points
            .zip(head.ownership.as_ref())
            .map(|(points, conv)| self.layer(Layer::conv(conv), points, Dest::default()));
        ValueOutputs {
            result,
            score,
            ownership,
        }
    }

    /// Adds a linear layer without activation. Returns the buffer of its output.
    fn linear(&mut self, linear: &Linear, from: BufferId) -> BufferId {
        self.layer(Layer::linear(linear), from, Dest::default())
    }

    /// Adds a convolution with norm and ReLU, and flattens the result to one row per board. Returns the buffer of these
    /// rows.
    fn flat(&mut self, conv: &Conv, norm: &Affine, features: BufferId) -> BufferId {
        let layer = Layer::conv(conv).with_folded_norm(norm);
        let from = self.layer(layer, features, Dest::new(Activation::Relu));
        let to = self.claim_f32(RowKind::Board, conv.outputs * FLAT_AREA);
        self.push(Op::Flatten {
            from,
            to,
            channels: conv.outputs,
        });
        to
    }
}
