//! What a run works in: buffers for boards of one size, kept from run to run.

use super::aligned::Aligned;
use super::attention::{Room, Turns};
use super::boards::Boards;
use super::compile::Compiled;
use super::product::Panels;
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
    /// Which buffer's it is, if any, and for what tiles.
    pub transformed_of: Option<(Buffer, usize)>,
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
        let (mut most_in, mut most_out) = (0, 0);
        let mut turns = Vec::new();
        let (mut width_most, mut value_most) = (0, 0);
        for step in &plan.steps {
            match step {
                Step::Conv(conv) => {
                    if let Some((_, tile)) = scheme(conv, &boards) {
                        let (rows, columns) = boards.tiles(tile);
                        let numbers = |channels: usize| {
                            let stride = channels.next_multiple_of(lanes);
                            let apart = winograd::distance(most * rows * columns, stride);
                            winograd::FREQUENCIES * apart
                        };
                        most_in = most_in.max(numbers(conv.inputs));
                        most_out = most_out.max(numbers(conv.outputs));
                    }
                }
                Step::Attention(layer) => {
                    turns.push(Turns::new(layer, &boards));
                    width_most = width_most.max(layer.width);
                    value_most = value_most.max(layer.value_width);
                }
                _ => {}
            }
        }
        Self {
            buffers: plan.shapes.iter().map(zeros).collect(),
            none: Aligned::default(),
            transformed: Aligned::zeros(most_in),
            transformed_of: None,
            products: Aligned::zeros(most_out),
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

/// The transformed weights of a convolution and its tiles, if it runs in Winograd's scheme on boards of this size.
pub fn scheme<'a>(conv: &'a Conv, boards: &Boards) -> Option<(&'a Panels, usize)> {
    let panels = conv.transformed.as_ref()?;
    let tile = winograd::tile(conv.kernel)?;
    winograd::pays(boards, conv.kernel.0, tile, conv.inputs, conv.outputs).then_some((panels, tile))
}
