//! What a run works in: buffers for boards of one size, kept from run to run.

use super::aligned::Aligned;
use super::attention::{Room, Turns};
use super::boards::Boards;
use super::compile::Compiled;
use super::steps::{Buffer, Conv, Per, Step};
use super::winograd;
use crate::net::answer::Answer;

/// Buffers, tables and room for one run at a time.
#[derive(Debug, Default)]
pub struct Scratch {
    /// How the boards lie.
    pub boards: Boards,
    /// By number. What lies beyond a board's edge is zero and stays so.
    pub buffers: Vec<Aligned>,
    /// Where the normed copy goes that a layer does not have.
    pub none: Aligned,
    /// The transformed input of a convolution.
    pub transformed: Aligned,
    /// Which buffer's it is, if any.
    pub transformed_of: Option<Buffer>,
    /// Its products.
    pub products: Aligned,
    /// For attention.
    pub room: Room,
    /// By the layer's number.
    pub turns: Vec<Turns>,
    /// The answer for one position.
    pub answer: Answer,
}

impl Scratch {
    /// Makes it fit for `count` boards of this size.
    pub fn fit(
        &mut self,
        plan: &Compiled,
        lanes: usize,
        count: usize,
        height: usize,
        width: usize,
    ) {
        let Boards {
            most,
            height: rows,
            width: columns,
            ..
        } = self.boards;
        if (rows, columns) != (height, width) || most < count {
            *self = Self::new(plan, lanes, count, height, width);
        }
    }

    fn new(plan: &Compiled, lanes: usize, most: usize, height: usize, width: usize) -> Self {
        let boards = Boards::new(most, height, width, plan.border);
        let rows = |per| match per {
            Per::Point => most * boards.places,
            Per::Board => most,
        };
        let zeros = |shape: &super::steps::Shape| Aligned::zeros(rows(shape.per) * shape.stride);
        let (tile_rows, tile_columns) = boards.tiles();
        let (mut wide_in, mut wide_out) = (0, 0);
        let mut turns = Vec::new();
        let (mut width_most, mut value_most) = (0, 0);
        for step in &plan.steps {
            match step {
                Step::Conv(conv) if is_transformed(conv, &boards) => {
                    wide_in = wide_in.max(conv.inputs.next_multiple_of(lanes));
                    wide_out = wide_out.max(conv.outputs.next_multiple_of(lanes));
                }
                Step::Attention(layer) => {
                    turns.push(Turns::new(layer, &boards));
                    width_most = width_most.max(layer.width);
                    value_most = value_most.max(layer.value_width);
                }
                _ => {}
            }
        }
        let numbers = |stride: usize| match stride {
            0 => Aligned::default(),
            _ => {
                let apart = winograd::distance(most * tile_rows * tile_columns, stride);
                Aligned::zeros(winograd::FREQUENCIES * apart)
            }
        };
        Self {
            buffers: plan.shapes.iter().map(zeros).collect(),
            none: Aligned::default(),
            transformed: numbers(wide_in),
            transformed_of: None,
            products: numbers(wide_out),
            room: match turns.len() {
                0 => Room::default(),
                _ => Room::new(lanes, boards.area(), width_most, value_most),
            },
            turns,
            answer: Answer::default(),
            boards,
        }
    }
}

/// Whether a convolution runs in Winograd's scheme on boards of this size.
pub fn is_transformed(conv: &Conv, boards: &Boards) -> bool {
    conv.transformed.is_some() && winograd::pays(boards, conv.inputs, conv.outputs)
}
