//! Runs a network by its definition: double precision, plain loops, no fused layers.

use honinbo::net::spec::blocks::{AttentionBlock, Block, RotaryAngles};
use honinbo::net::spec::heads::{PolicyHead, ValueHead};
use honinbo::net::spec::layers::{Activation, Affine, Conv, Linear, RmsNorm};
use honinbo::net::spec::{NetSpec, TrunkNorm};

/// Channels of each point, row by row.
pub type Rows = Vec<Vec<f64>>;

/// Width and height of a board.
#[derive(Clone, Copy)]
pub struct Board {
    pub height: usize,
    pub width: usize,
}

/// Raw outputs of the heads, before the readout.
pub struct Heads {
    pub policy: Rows,
    pub pass: Vec<f64>,
    pub result: Vec<f64>,
    pub score: Vec<f64>,
    pub ownership: Vec<f64>,
}

/// Runs the net on planes (`[point][plane]`), globals and a profile.
pub fn run(net: &NetSpec, board: Board, planes: &Rows, globals: &[f64], profile: &[f64]) -> Heads {
    let mut x = board.conv(planes, &net.stem.conv);
    if let Some(global) = &net.stem.global {
        x = add_to_all(&x, &linear(globals, global));
    }
    if let Some(encoder) = &net.stem.profile {
        let first = acts(&linear(profile, &encoder.first), encoder.first_activation);
        let second = acts(&linear(&first, &encoder.second), encoder.second_activation);
        x = add_to_all(&x, &linear(&second, &encoder.out));
    }
    if let Some((norm, activation)) = &net.stem.norm {
        x = act(&affine(&x, norm), *activation);
    }
    for block in &net.blocks {
        x = board.block(&x, block);
    }
    x = match &net.trunk_norm {
        TrunkNorm::None => x,
        TrunkNorm::Affine { norm, act: after } => act(&affine(&x, norm), *after),
        TrunkNorm::Rms { norm, act: after } => act(&rms(&x, norm), *after),
    };
    let (policy, pass) = board.policy(&x, &net.policy);
    let (result, score, ownership) = board.value(&x, &net.value);
    Heads {
        policy,
        pass,
        result,
        score,
        ownership,
    }
}

impl Board {
    fn conv(self, x: &Rows, conv: &Conv) -> Rows {
        let (height, width) = (self.height as isize, self.width as isize);
        let mut rows = Vec::new();
        for row in 0..height {
            for column in 0..width {
                let mut sums = vec![0.0; conv.outputs];
                for down in 0..conv.height {
                    for right in 0..conv.width {
                        let from_row = row + down as isize - conv.height as isize / 2;
                        let from_column = column + right as isize - conv.width as isize / 2;
                        if !(0..height).contains(&from_row) || !(0..width).contains(&from_column) {
                            continue;
                        }
                        let from = &x[(from_row * width + from_column) as usize];
                        for (input, value) in from.iter().enumerate() {
                            for (output, sum) in sums.iter_mut().enumerate() {
                                let tap = down * conv.width + right;
                                let at = (tap * conv.inputs + input) * conv.outputs + output;
                                *sum += value * f64::from(conv.weights[at]);
                            }
                        }
                    }
                }
                rows.push(sums);
            }
        }
        rows
    }

    fn block(self, x: &Rows, block: &Block) -> Rows {
        match block {
            Block::Ordinary(block) => {
                let r = act(&affine(x, &block.norm1), block.act1);
                let y = affine(&self.conv(&r, &block.conv1), &block.norm2);
                sum(x, &self.conv(&act(&y, block.act2), &block.conv2))
            }
            Block::Pooling(block) => {
                let r = act(&affine(x, &block.norm1), block.act1);
                let g = affine(&self.conv(&r, &block.pool_conv), &block.pool_norm);
                let features = linear(
                    &self.pooled(&act(&g, block.pool_act), true),
                    &block.pool_linear,
                );
                let y = add_to_all(&self.conv(&r, &block.conv1), &features);
                let y = act(&affine(&y, &block.norm2), block.act2);
                sum(x, &self.conv(&y, &block.conv2))
            }
            Block::Nested(block) => {
                let y = act(&affine(x, &block.down_norm), block.down_act);
                let mut y = self.conv(&y, &block.down);
                for inner in &block.blocks {
                    y = self.block(&y, inner);
                }
                let y = act(&affine(&y, &block.up_norm), block.up_act);
                sum(x, &self.conv(&y, &block.up))
            }
            Block::Attention(block) => sum(x, &self.attention(x, block)),
            Block::FeedForward(block) => {
                let normed = rms(x, &block.norm);
                let added = normed.iter().map(|row| {
                    let wide = acts(&linear(row, &block.wide), Activation::Silu);
                    let gate = linear(row, &block.gate);
                    let wide: Vec<_> = wide.iter().zip(gate).map(|(a, b)| a * b).collect();
                    linear(&wide, &block.out)
                });
                sum(x, &added.collect())
            }
            Block::PostActivation(block) => {
                let y = affine(&self.conv(x, &block.conv1), &block.norm1);
                let y = self.conv(&act(&y, Activation::Relu), &block.conv2);
                act(&sum(x, &affine(&y, &block.norm2)), Activation::Relu)
            }
        }
    }

    fn attention(self, x: &Rows, block: &AttentionBlock) -> Rows {
        let x = rms(x, &block.norm);
        let project = |map: &Linear| -> Rows { x.iter().map(|row| linear(row, map)).collect() };
        let (queries, keys, values) = (
            project(&block.query),
            project(&block.key),
            project(&block.value),
        );
        let width = block.query.outputs / block.heads;
        let value_width = block.value.outputs / block.kv_heads;
        let mut out = Vec::new();
        for (point, query) in queries.iter().enumerate() {
            let mut mixed = Vec::new();
            for head in 0..block.heads {
                let shared = head / (block.heads / block.kv_heads);
                let query = self.turned(block, shared, point, &query[head * width..][..width]);
                let scores = keys.iter().enumerate().map(|(other, key)| {
                    let key = self.turned(block, shared, other, &key[shared * width..][..width]);
                    let product: f64 = query.iter().zip(&key).map(|(a, b)| a * b).sum();
                    (product / (width as f64).sqrt()).exp()
                });
                let scores: Vec<f64> = scores.collect();
                let total: f64 = scores.iter().sum();
                for channel in 0..value_width {
                    let part = |(score, value): (&f64, &Vec<f64>)| {
                        score / total * value[shared * value_width + channel]
                    };
                    mixed.push(scores.iter().zip(&values).map(part).sum());
                }
            }
            out.push(linear(&mixed, &block.out));
        }
        out
    }

    /// Applies the rotary embedding of a point to a head's channels.
    fn turned(self, block: &AttentionBlock, shared: usize, point: usize, head: &[f64]) -> Vec<f64> {
        let (row, column) = ((point / self.width) as f64, (point % self.width) as f64);
        if block.rotation == RotaryAngles::None {
            return head.to_vec();
        }
        let pairs = head.len() / 2;
        let mut turned = Vec::new();
        for pair in 0..pairs {
            let angle = match &block.rotation {
                RotaryAngles::None => 0.0,
                RotaryAngles::Fixed { theta } => {
                    let step =
                        |pair: usize| f64::from(*theta).powf(-2.0 * pair as f64 / pairs as f64);
                    if pair < pairs / 2 {
                        row * step(pair)
                    } else {
                        column * step(pair - pairs / 2)
                    }
                }
                RotaryAngles::Learnt { angles } => {
                    let at = 2 * (shared * pairs + pair);
                    column * f64::from(angles[at]) + row * f64::from(angles[at + 1])
                }
            };
            let (a, b) = (head[2 * pair], head[2 * pair + 1]);
            turned.push(a * angle.cos() - b * angle.sin());
            turned.push(a * angle.sin() + b * angle.cos());
        }
        turned
    }

    /// Returns the mean, the mean scaled by the board's side, and the maximum (or the mean scaled by the squared side).
    fn pooled(self, x: &Rows, maximum: bool) -> Vec<f64> {
        let side = ((self.height * self.width) as f64).sqrt() - 14.0;
        let channel = |channel: usize| x.iter().map(move |row| row[channel]);
        let mean = |index: usize| channel(index).sum::<f64>() / x.len() as f64;
        let channels = 0..x[0].len();
        let means: Vec<f64> = channels.clone().map(mean).collect();
        let last = channels.map(|index| {
            if maximum {
                channel(index).fold(f64::MIN, f64::max)
            } else {
                means[index] * (side * side * 0.01 - 0.1)
            }
        });
        let second = means.iter().map(|mean| mean * side * 0.1);
        means.iter().copied().chain(second).chain(last).collect()
    }

    fn policy(self, x: &Rows, head: &PolicyHead) -> (Rows, Vec<f64>) {
        match head {
            PolicyHead::Flat { conv, norm, out } => {
                let mut logits = linear(&self.flat(x, conv, norm), out);
                let pass = logits.split_off(x.len());
                (logits.into_iter().map(|logit| vec![logit]).collect(), pass)
            }
            PolicyHead::Pooled(head) => {
                let g = affine(&self.conv(x, &head.pool_conv), &head.pool_norm);
                let board = self.pooled(&act(&g, head.pool_act), true);
                let y = add_to_all(
                    &self.conv(x, &head.conv),
                    &linear(&board, &head.pool_linear),
                );
                let y = act(&affine(&y, &head.norm), head.act);
                let pass = head.pass.as_ref().map(|pass| match &pass.hidden {
                    None => linear(&board, &pass.out),
                    Some((hidden, activation)) => {
                        linear(&acts(&linear(&board, hidden), *activation), &pass.out)
                    }
                });
                (self.conv(&y, &head.out), pass.unwrap_or_default())
            }
        }
    }

    fn value(self, x: &Rows, head: &ValueHead) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        match head {
            ValueHead::Flat {
                conv,
                norm,
                hidden,
                result,
            } => {
                let hidden = acts(&linear(&self.flat(x, conv, norm), hidden), Activation::Relu);
                (linear(&hidden, result), Vec::new(), Vec::new())
            }
            ValueHead::Pooled(head) => {
                let v = act(&affine(&self.conv(x, &head.conv), &head.norm), head.act);
                let hidden = linear(&self.pooled(&v, false), &head.hidden);
                let hidden = acts(&hidden, head.hidden_act);
                let score = head.score.as_ref().map(|score| linear(&hidden, score));
                let owners = head
                    .ownership
                    .as_ref()
                    .map(|conv| self.conv(&v, conv).concat());
                (
                    linear(&hidden, &head.result),
                    score.unwrap_or_default(),
                    owners.unwrap_or_default(),
                )
            }
        }
    }

    /// Flattens the output channel by channel: all points of the first channel, then all of the second, …
    fn flat(self, x: &Rows, conv: &Conv, norm: &Affine) -> Vec<f64> {
        let y = act(&affine(&self.conv(x, conv), norm), Activation::Relu);
        (0..conv.outputs)
            .flat_map(|channel| y.iter().map(move |row| row[channel]).collect::<Vec<_>>())
            .collect()
    }
}

fn linear(x: &[f64], map: &Linear) -> Vec<f64> {
    assert_eq!(x.len(), map.inputs);
    (0..map.outputs)
        .map(|output| {
            let weight = |input: usize| f64::from(map.weights[input * map.outputs + output]);
            let bias = map.bias.get(output).map_or(0.0, |bias| f64::from(*bias));
            bias + x
                .iter()
                .enumerate()
                .map(|(i, x)| x * weight(i))
                .sum::<f64>()
        })
        .collect()
}

fn affine(x: &Rows, norm: &Affine) -> Rows {
    let row = |row: &Vec<f64>| {
        let scaled = row.iter().zip(&norm.scale).zip(&norm.shift);
        scaled
            .map(|((x, scale), shift)| x * f64::from(*scale) + f64::from(*shift))
            .collect()
    };
    x.iter().map(row).collect()
}

fn rms(x: &Rows, norm: &RmsNorm) -> Rows {
    let mean = |rows: &[Vec<f64>]| {
        let squares = rows.iter().flatten().map(|x| x * x);
        squares.sum::<f64>() / (rows.len() * rows[0].len()) as f64
    };
    let of_board = mean(x);
    let row = |row: &Vec<f64>| {
        let mean = if norm.over_board {
            of_board
        } else {
            mean(std::slice::from_ref(row))
        };
        let root = (mean + f64::from(norm.epsilon)).sqrt();
        let channel = |(channel, x): (usize, &f64)| {
            let shift = norm
                .shift
                .get(channel)
                .map_or(0.0, |shift| f64::from(*shift));
            x / root * f64::from(norm.weight[channel]) + shift
        };
        row.iter().enumerate().map(channel).collect()
    };
    x.iter().map(row).collect()
}

fn acts(x: &[f64], activation: Activation) -> Vec<f64> {
    let one = |x: &f64| match activation {
        Activation::Identity => *x,
        Activation::Relu => x.max(0.0),
        Activation::Mish => x * x.exp().ln_1p().tanh(),
        Activation::Silu => x / (1.0 + (-x).exp()),
    };
    x.iter().map(one).collect()
}

fn act(x: &Rows, activation: Activation) -> Rows {
    x.iter().map(|row| acts(row, activation)).collect()
}

fn sum(a: &Rows, b: &Rows) -> Rows {
    a.iter().zip(b).map(|(a, b)| added(a, b)).collect()
}

fn add_to_all(x: &Rows, row: &[f64]) -> Rows {
    x.iter().map(|x| added(x, row)).collect()
}

fn added(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}
