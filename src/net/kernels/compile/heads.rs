//! Compilation of the policy and value heads.

use super::compiler::{Compiler, Into};
use super::layer::Layer;
use crate::net::desc::NetDesc;
use crate::net::desc::heads::{PolicyHead, PooledPolicy, PooledValue, ValueHead};
use crate::net::desc::layers::{Activation, Affine, Conv, Linear, Pooling};
use crate::net::kernels::buffers::{Buffer, Per};
use crate::net::kernels::steps::{Heads, Policy, Step};

/// Logits of the points, and a separate buffer with the pass logits and their count if there is one.
type Logits = (Policy, Option<(Buffer, usize)>);

impl Compiler {
    /// Adds both heads and returns their output buffers.
    pub fn heads(&mut self, desc: &NetDesc, features: Buffer) -> Heads {
        let (policy, pass) = match &desc.policy {
            PolicyHead::Pooled(head) => self.pooled_policy(head, features),
            PolicyHead::Flat { conv, norm, out } => {
                let flat = self.flat(conv, norm, features);
                (Policy::Flat(self.plain(out, flat)), None)
            }
        };
        let mut heads = Heads {
            policy,
            pass,
            result: (features, 0),
            score: None,
            ownership: None,
        };
        match &desc.value {
            ValueHead::Pooled(head) => self.pooled_value(head, features, &mut heads),
            ValueHead::Flat {
                conv,
                norm,
                hidden,
                result,
            } => {
                let flat = self.flat(conv, norm, features);
                let hidden = self.map(&Layer::map(hidden), flat, Activation::Relu);
                heads.result = (self.plain(result, hidden), result.outputs);
            }
        }
        heads
    }

    fn pooled_policy(&mut self, head: &PooledPolicy, features: Buffer) -> Logits {
        let pool_conv = Layer::conv(&head.pool_conv).normed(&head.pool_norm);
        let g = self.map(&pool_conv, features, head.pool_act);
        let board = self.pool(g, head.pool_conv.outputs, Pooling::Max);
        let linear = Layer::map(&head.pool_linear).normed(&head.norm);
        let added = self.map(&linear, board, Activation::Identity);
        let conv = Layer::conv(&head.conv).scaled(&head.norm);
        let y = self.shared(&conv, features, added, head.act);
        let points = self.conv(&Layer::conv(&head.out), y, Into::PLAIN);
        let pass = head.pass.as_ref().map(|pass| {
            let from = match &pass.hidden {
                None => board,
                Some((hidden, activation)) => self.map(&Layer::map(hidden), board, *activation),
            };
            (self.plain(&pass.out, from), pass.out.outputs)
        });
        (Policy::Points(points, head.out.outputs), pass)
    }

    fn pooled_value(&mut self, head: &PooledValue, features: Buffer, heads: &mut Heads) {
        let conv = Layer::conv(&head.conv).normed(&head.norm);
        let v = self.map(&conv, features, head.act);
        let points = head.ownership.as_ref().map(|_| self.readable(v));
        let board = self.pool(v, head.conv.outputs, Pooling::Mean);
        let hidden = self.map(&Layer::map(&head.hidden), board, head.hidden_act);
        heads.result = (self.plain(&head.result, hidden), head.result.outputs);
        heads.score = head
            .score
            .as_ref()
            .map(|score| (self.plain(score, hidden), score.outputs));
        heads.ownership = points
            .zip(head.ownership.as_ref())
            .map(|(points, conv)| self.conv(&Layer::conv(conv), points, Into::PLAIN));
    }

    /// Adds a fully connected layer without activation.
    fn plain(&mut self, linear: &Linear, from: Buffer) -> Buffer {
        self.map(&Layer::map(linear), from, Activation::Identity)
    }

    /// Adds a convolution with norm and ReLU, then flattens the result to one row per board.
    fn flat(&mut self, conv: &Conv, norm: &Affine, features: Buffer) -> Buffer {
        let layer = Layer::conv(conv).normed(norm);
        let from = self.map(&layer, features, Activation::Relu);
        let to = self.claim(
            Per::Board,
            conv.outputs * crate::net::desc::check::FLAT_AREA,
        );
        self.push(Step::Flatten {
            from,
            to,
            channels: conv.outputs,
        });
        to
    }
}
