//! Writes net descriptions in Leela Zero's file format.

use honinbo::net::spec::blocks::Block;
use honinbo::net::spec::heads::{PolicyHead, ValueHead};
use honinbo::net::spec::layers::{Affine, Conv, Linear};
use honinbo::net::spec::{NetSpec, Readout};

/// Bias that every convolution in a file adds and that its norm subtracts again.
const BIAS: f32 = 0.75;

/// Returns the lines of a net's file. Norms must have the form that `drawn::leela_zero` creates.
pub fn lines(net: &NetSpec) -> Vec<String> {
    let (
        PolicyHead::Flat {
            conv: policy_conv,
            norm: policy_norm,
            out,
        },
        ValueHead::Flat {
            conv: value_conv,
            norm: value_norm,
            hidden,
            result,
        },
    ) = (&net.policy, &net.value)
    else {
        panic!("heads for every size of board");
    };
    let version = match net.readout {
        Readout::LeelaZeroBlack => 2,
        _ => 1,
    };
    let mut lines = vec![version.to_string()];
    convolution(
        &mut lines,
        &net.stem.conv,
        &net.stem.norm.as_ref().unwrap().0,
    );
    for block in &net.blocks {
        let Block::PostActivation(block) = block else {
            panic!("Leela Zero's nets have no such block");
        };
        convolution(&mut lines, &block.conv1, &block.norm1);
        convolution(&mut lines, &block.conv2, &block.norm2);
    }
    convolution(&mut lines, policy_conv, policy_norm);
    linear(&mut lines, out);
    convolution(&mut lines, value_conv, value_norm);
    linear(&mut lines, hidden);
    linear(&mut lines, result);
    lines
}

/// Returns a line of numbers.
pub fn line(numbers: impl IntoIterator<Item = f32>) -> String {
    let words: Vec<String> = numbers
        .into_iter()
        .map(|number| number.to_string())
        .collect();
    words.join(" ")
}

fn convolution(lines: &mut Vec<String>, conv: &Conv, norm: &Affine) {
    let mut weights = Vec::new();
    for output in 0..conv.outputs {
        for input in 0..conv.inputs {
            for tap in 0..conv.height * conv.width {
                weights.push(conv.weights[(tap * conv.inputs + input) * conv.outputs + output]);
            }
        }
    }
    lines.push(line(weights));
    lines.push(line(vec![BIAS; norm.channels]));
    let means = norm.shift.iter().zip(&norm.scale);
    lines.push(line(means.map(|(shift, scale)| BIAS - shift / scale)));
    lines.push(line(
        norm.scale.iter().map(|scale| 1.0 / (scale * scale) - 1e-5),
    ));
}

fn linear(lines: &mut Vec<String>, linear: &Linear) {
    let mut weights = Vec::new();
    for output in 0..linear.outputs {
        for input in 0..linear.inputs {
            weights.push(linear.weights[input * linear.outputs + output]);
        }
    }
    lines.push(line(weights));
    lines.push(line(linear.bias.iter().copied()));
}
