//! Scratch memory of a run: buffers for boards of the same size, reused from run to run.

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

/// Buffers, tables and workspaces of a single run.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Layout of the boards.
    pub boards: Boards,
    /// Layout of the boards in the buffer of the input planes.
    pub entry: Boards,
    /// Maps from places of the input layout to places of `boards`, for input in the layout `entry` and `boards`.
    pub runs: [Run; 2],
    /// Offsets of the input segments of a bfloat16 layer.
    pub tile_steps: Vec<usize>,
    /// bfloat16 buffers, by buffer index; empty for 32-bit buffers.
    pub halves: Vec<Aligned<u16>>,
    /// 32-bit buffers, by buffer index; empty for bfloat16 buffers. The border of the boards is zero and is never
    /// written.
    pub buffers: Vec<Aligned>,
    /// Placeholder for the normalised copy of layers that have none.
    pub none: Aligned,
    /// Transformed input of a Winograd convolution.
    pub transformed: Aligned,
    /// The [input](super::steps::Conv::input) ID of `transformed` and its tile size; `None` if there is no transformed
    /// input.
    pub transformed_of: Option<(usize, usize)>,
    /// Products of a Winograd convolution.
    pub products: Aligned,
    /// Workspace of 16-bit integer Winograd convolutions.
    pub pairs: pairs::winograd::Room,
    /// Workspace of 16-bit integer linear layers.
    pub rows: pairs::rows::Room,
    /// Workspace of 32-bit attention.
    pub room: Room,
    /// Workspace of 16-bit integer attention.
    pub paired_room: pairs::attention::Room,
    /// Rotary tables, by table index.
    pub turns: Vec<Turns>,
    /// Workspace of bfloat16 attention.
    pub tile_room: tiles::attention::Room,
    /// Output for one position.
    pub answer: Answer,
}

impl Scratch {
    /// Reallocates the scratch memory if it does not fit `count` boards of this size.
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

/// Sizes of the workspaces. The steps run one after another and share them, so each size is a maximum over all steps.
#[derive(Default)]
struct Needs {
    /// Length of the largest transformed input.
    transformed: usize,
    /// Length of the largest set of Winograd products.
    products: usize,
    /// Maximum numbers of tiles and of inputs of the 16-bit integer Winograd convolutions.
    pairs: (usize, usize),
    /// Rotary tables, by table index.
    turns: Vec<Turns>,
    /// Maximum query width per head.
    width: usize,
    /// Maximum value width per head.
    value_width: usize,
}

impl Needs {
    /// Computes the sizes for all steps on at most `most` boards with the layout of `boards`.
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

    /// Adds an attention layer that uses the rotary table `number`; creates the table if it is new.
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

/// Returns the transformed weights of a convolution and its tile size, or `None` if Winograd's algorithm is not used
/// on boards of this size.
pub fn scheme<'a>(conv: &'a Conv, boards: &Boards) -> Option<(&'a Transformed, usize)> {
    let weights = conv.transformed.as_ref()?;
    let tile = winograd::tile(conv.kernel)?;
    winograd::pays(boards, conv.kernel.0, tile, conv.inputs, conv.outputs)
        .then_some((weights, tile))
}
