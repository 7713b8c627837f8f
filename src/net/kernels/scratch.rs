//! What a run works in: buffers for boards of one size, kept from run to run.

use super::aligned::Aligned;
use super::attention::{Room, Turns};
use super::boards::Boards;
use super::buffers::{Buffer, Form, Per, Shape};
use super::compile::Compiled;
use super::pairs;
use super::steps::{Conv, Step, TileStep, Transformed};
use super::tiles;
use super::tiles::layer::{BLOCK, Run};
use super::winograd;
use crate::net::answer::Answer;
use crate::net::precision::Arithmetic;

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
    /// For attention in pairs.
    pub paired_room: pairs::attention::Room,
    /// By the number of the table.
    pub turns: Vec<Turns>,
    /// For attention in tiles.
    pub tile_room: tiles::attention::Room,
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
        let arithmetic = plan.arithmetic;
        let in_tiles = arithmetic == Arithmetic::Tiles;
        let lay = |border| match in_tiles {
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
        let needs = Needs::of(plan, lanes, most, &boards);
        let attends = !needs.turns.is_empty();
        let (area, width, value_width) = (boards.area(), needs.width, needs.value_width);
        Self {
            buffers: shapes()
                .map(|(buffer, shape)| Aligned::zeros(numbers(buffer, shape, Form::Full)))
                .collect(),
            halves: shapes()
                .map(|(buffer, shape)| Aligned::zeros(numbers(buffer, shape, Form::Half)))
                .collect(),
            runs: match in_tiles {
                true => [Run::new(&entry, &boards), Run::new(&boards, &boards)],
                false => Default::default(),
            },
            tile_steps: Vec::new(),
            none: Aligned::default(),
            transformed: Aligned::zeros(needs.transformed),
            transformed_of: None,
            products: Aligned::zeros(needs.products),
            pairs: match needs.pairs {
                (0, _) => pairs::winograd::Room::default(),
                (tiles, inputs) => pairs::winograd::Room::new(lanes, tiles, inputs),
            },
            rows: pairs::rows::Room::default(),
            room: match attends && arithmetic == Arithmetic::F32 {
                true => Room::new(lanes, area, width, value_width),
                false => Room::default(),
            },
            paired_room: match attends && arithmetic == Arithmetic::Pairs {
                true => pairs::attention::Room::new(lanes, area, width, value_width),
                false => pairs::attention::Room::default(),
            },
            tile_room: match attends && in_tiles {
                true => tiles::attention::Room::new(area, width, value_width),
                false => tiles::attention::Room::default(),
            },
            turns: needs.turns,
            answer: Answer::default(),
            boards,
            entry,
        }
    }
}

/// What the steps of a plan need beside the buffers, all of them in the same place one after the other.
#[derive(Default)]
struct Needs {
    /// Numbers of the largest transformed input.
    transformed: usize,
    /// Numbers of the most products.
    products: usize,
    /// Tiles and inputs of the largest convolution in pairs.
    pairs: (usize, usize),
    /// By the number of the table.
    turns: Vec<Turns>,
    /// Of the widest queries.
    width: usize,
    /// Of the widest values.
    value_width: usize,
}

impl Needs {
    /// Those of all steps on `most` boards that lie like these.
    fn of(plan: &Compiled, lanes: usize, most: usize, boards: &Boards) -> Self {
        let mut needs = Self::default();
        for step in &plan.steps {
            match step {
                Step::Conv(conv) => needs.convolve(conv, lanes, most, boards),
                Step::Attention(layer) => {
                    let half = layer.width / 2;
                    let turns = || Turns::new(&layer.rotation, layer.kv_heads, half, half, boards);
                    needs.attend(layer.turns, turns, (layer.width, layer.value_width));
                }
                Step::Tiled(TileStep::Attention(layer)) => {
                    let (pairs, half) = (layer.pairs, layer.width / 2);
                    let turns = || Turns::new(&layer.rotation, layer.kv_heads, pairs, half, boards);
                    needs.attend(layer.turns, turns, (layer.width, layer.value_width));
                }
                _ => {}
            }
        }
        needs
    }

    fn convolve(&mut self, conv: &Conv, lanes: usize, most: usize, boards: &Boards) {
        let Some((weights, tile)) = scheme(conv, boards) else {
            return;
        };
        let (rows, columns) = boards.tiles(tile);
        let tiles = most * rows * columns;
        match weights {
            Transformed::Pairs(_) => {
                let (most_tiles, most_inputs) = self.pairs;
                self.pairs = (most_tiles.max(tiles), most_inputs.max(conv.inputs));
            }
            Transformed::Full(_) => {
                let numbers = |channels: usize| {
                    let stride = channels.next_multiple_of(lanes);
                    winograd::FREQUENCIES * winograd::distance(tiles, stride)
                };
                self.transformed = self.transformed.max(numbers(conv.inputs));
                self.products = self.products.max(numbers(conv.outputs));
            }
        }
    }

    /// Attention that turns by the table of this number.
    fn attend(
        &mut self,
        number: usize,
        turns: impl FnOnce() -> Turns,
        (width, value_width): (usize, usize),
    ) {
        if number == self.turns.len() {
            self.turns.push(turns());
        }
        self.width = self.width.max(width);
        self.value_width = self.value_width.max(value_width);
    }
}

/// The transformed weights of a convolution and its tiles, if it runs in Winograd's scheme on boards of this size.
pub fn scheme<'a>(conv: &'a Conv, boards: &Boards) -> Option<(&'a Transformed, usize)> {
    let weights = conv.transformed.as_ref()?;
    let tile = winograd::tile(conv.kernel)?;
    winograd::pays(boards, conv.kernel.0, tile, conv.inputs, conv.outputs)
        .then_some((weights, tile))
}
