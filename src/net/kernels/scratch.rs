//! What a run works in: buffers for boards of one size, kept from run to run.

use super::aligned::Aligned;
use super::attention::{Room, Turns};
use super::boards::Boards;
use super::compile::Compiled;
use super::pairs;
use super::steps::{Buffer, Conv, Form, Per, Shape, Step, TileStep, Transformed};
use super::tiles;
use super::tiles::layer::{BLOCK, Run};
use super::winograd;
use crate::net::answer::Answer;

/// Buffers, tables and room for one run at a time.
#[derive(Debug, Default)]
pub struct Scratch {
    /// How the boards lie.
    pub boards: Boards,
    /// How the planes' boards lie.
    pub entry: Boards,
    /// From the planes' boards to the others, and from those to themselves.
    pub runs: [Run; 2],
    /// Where the steps of a layer in tiles begin.
    pub tile_steps: Vec<usize>,
    /// By number; empty for those of 32-bit numbers.
    pub halves: Vec<Aligned<u16>>,
    /// By number; empty for those of 16-bit numbers. What lies beyond a board's edge is zero and stays so.
    pub buffers: Vec<Aligned>,
    /// Where the normed copy goes that a layer does not have.
    pub none: Aligned,
    /// The transformed input of a convolution.
    pub transformed: Aligned,
    /// Which [input](super::steps::Conv::input) it is of, if any, and for what tiles.
    pub transformed_of: Option<(usize, usize)>,
    /// Its products.
    pub products: Aligned,
    /// For convolutions in pairs.
    pub pairs: pairs::winograd::Room,
    /// For maps of rows in pairs.
    pub rows: pairs::rows::Room,
    /// For attention.
    pub room: Room,
    /// By the layer's number.
    pub turns: Vec<Turns>,
    /// For attention in tiles.
    pub tile_room: tiles::attention::Room,
    /// By the number of the table.
    pub tile_turns: Vec<tiles::attention::Turns>,
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
        let lay = |border| match plan.tiles {
            true => Boards::packed(most, height, width, border, BLOCK),
            false => Boards::new(most, height, width, border),
        };
        let [boards, entry] = [plan.border, plan.entry_border].map(lay);
        let numbers = |buffer: Buffer, shape: &Shape, form: Form| match shape.per {
            _ if shape.form != form => 0,
            Per::Board => most * shape.stride,
            Per::Point if buffer == plan.planes => entry.total * shape.stride,
            Per::Point => boards.total * shape.stride,
        };
        let shapes = || plan.shapes.iter().enumerate();
        let (mut most_in, mut most_out) = (0, 0);
        let mut most_pairs = (0, 0);
        let mut turns = Vec::new();
        let (mut width_most, mut value_most) = (0, 0);
        let mut tile_turns = Vec::new();
        for step in &plan.steps {
            match step {
                Step::Conv(conv) => {
                    if let Some((weights, tile)) = scheme(conv, &boards) {
                        let (rows, columns) = boards.tiles(tile);
                        if let Transformed::Pairs(_) = weights {
                            let (tiles, inputs) = most_pairs;
                            most_pairs =
                                (tiles.max(most * rows * columns), inputs.max(conv.inputs));
                            continue;
                        }
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
                Step::Tiled(TileStep::Attention(layer)) => {
                    if layer.turns == tile_turns.len() {
                        tile_turns.push(tiles::attention::Turns::new(layer, &boards));
                    }
                    width_most = width_most.max(layer.width);
                    value_most = value_most.max(layer.value_width);
                }
                _ => {}
            }
        }
        Self {
            buffers: shapes()
                .map(|(buffer, shape)| Aligned::zeros(numbers(buffer, shape, Form::Full)))
                .collect(),
            halves: shapes()
                .map(|(buffer, shape)| Aligned::zeros(numbers(buffer, shape, Form::Half)))
                .collect(),
            runs: match plan.tiles {
                true => [Run::new(&entry, &boards), Run::new(&boards, &boards)],
                false => Default::default(),
            },
            tile_steps: Vec::new(),
            none: Aligned::default(),
            transformed: Aligned::zeros(most_in),
            transformed_of: None,
            products: Aligned::zeros(most_out),
            pairs: match most_pairs {
                (0, _) => pairs::winograd::Room::default(),
                (tiles, inputs) => pairs::winograd::Room::new(lanes, tiles, inputs),
            },
            rows: pairs::rows::Room::default(),
            room: match turns.len() {
                0 => Room::default(),
                _ => Room::new(lanes, boards.area(), width_most, value_most),
            },
            turns,
            tile_room: match tile_turns.len() {
                0 => tiles::attention::Room::default(),
                _ => tiles::attention::Room::new(boards.area(), width_most, value_most),
            },
            tile_turns,
            answer: Answer::default(),
            boards,
            entry,
        }
    }
}

/// The transformed weights of a convolution and its tiles, if it runs in Winograd's scheme on boards of this size.
pub fn scheme<'a>(conv: &'a Conv, boards: &Boards) -> Option<(&'a Transformed, usize)> {
    let weights = conv.transformed.as_ref()?;
    let tile = winograd::tile(conv.kernel)?;
    winograd::pays(boards, conv.kernel.0, tile, conv.inputs, conv.outputs)
        .then_some((weights, tile))
}
