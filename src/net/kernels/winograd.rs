//! 3x3 convolutions in Winograd's scheme F(4x4, 3x3): 36 products for 16 points instead of 144.
//!
//! Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks" (2016), with the points 0, ±1/√2, ±√2 and infinity,
//! which lose less to rounding than 0, ±1, ±2 (Barabasz et al., "Error Analysis and Improving the Accuracy of Winograd
//! Convolution for Deep Neural Networks", 2020). A board is cut into tiles of 4x4 points; what a tile looks at, 6x6
//! points, is transformed; for each of the 36 numbers the tiles are rows of a matrix that is multiplied with transformed
//! weights; the products are transformed back. Points beyond the board's edge are computed and thrown away.

use pulp::{Simd, WithSimd};

use super::aligned::Aligned;
use super::boards::{Boards, TILE};
use super::finish::Results;
use super::product::{Dense, Inputs, Panels, multiply};
use super::steps::Finish;

/// Side of what a tile looks at.
const SIDE: usize = TILE + 2;
/// Products of a tile.
pub const FREQUENCIES: usize = SIDE * SIDE;
/// The points other than 0 and infinity are a, -a, b and -b; ab = 1.
const A: f32 = std::f32::consts::FRAC_1_SQRT_2;
const B: f32 = std::f32::consts::SQRT_2;
const A2: f32 = 0.5;
const B2: f32 = 2.0;
/// Numbers between the matrices of two frequencies, so that they do not all fall into the same part of a cache.
const GAP: usize = 16;

/// The distance of the matrices of two frequencies.
pub fn distance(tiles: usize, stride: usize) -> usize {
    tiles * stride + GAP
}

/// Whether the scheme takes less time than the direct product for boards of this size.
///
/// Counted in products: those of each way, and five for each number that is transformed. Few rows cost as much as six,
/// for then it is the weights that take time.
pub fn pays(boards: &Boards, inputs: usize, outputs: usize) -> bool {
    const FEWEST: usize = 6;
    const TRANSFORM: usize = 5;
    let (rows, columns) = boards.tiles();
    let tiles = rows * columns;
    let products = tiles.max(FEWEST) * inputs * outputs;
    let transformed = TRANSFORM * tiles * (inputs + outputs);
    FREQUENCIES * (products + transformed) < 9 * boards.area().max(FEWEST) * inputs * outputs
}

/// The weights `[9, inputs, outputs]` of a convolution in transformed space, `[36, inputs, outputs]`.
pub fn transformed(weights: &[f32], pairs: usize) -> Vec<f32> {
    let (a2, b2) = (f64::from(A2), f64::from(B2));
    let (a, b) = (f64::sqrt(a2), f64::sqrt(b2));
    // 1, p and p^2 for each point, over the product of its distances to the other points.
    let of_point = |p: f64, product: f64| [1.0, p, p * p].map(|power| power / product);
    let (of_a, of_b) = (2.0 * a2 * (a2 - b2), 2.0 * b2 * (b2 - a2));
    let rows: [[f64; 3]; SIDE] = [
        of_point(0.0, a2 * b2),
        of_point(a, of_a),
        of_point(-a, of_a),
        of_point(b, of_b),
        of_point(-b, of_b),
        [0.0, 0.0, 1.0],
    ];
    let mut result = vec![0.0; FREQUENCIES * pairs];
    for pair in 0..pairs {
        let weight =
            |row: usize, column: usize| f64::from(weights[(3 * row + column) * pairs + pair]);
        let half: [[f64; 3]; SIDE] = rows.map(|f| {
            std::array::from_fn(|column| (0..3).map(|row| f[row] * weight(row, column)).sum())
        });
        for (down, half) in half.iter().enumerate() {
            for (right, f) in rows.iter().enumerate() {
                let sum: f64 = f.iter().zip(half).map(|(f, half)| f * half).sum();
                result[(down * SIDE + right) * pairs + pair] = sum as f32;
            }
        }
    }
    result
}

/// The input of a convolution, to be transformed.
pub struct Transform<'a> {
    /// The boards.
    pub boards: &'a Boards,
    /// How many of them.
    pub count: usize,
    /// `[places, channels]`
    pub from: &'a Aligned,
    /// Channels, filled up.
    pub stride: usize,
    /// `[36, tiles, channels]`, with gaps.
    pub to: &'a mut Aligned,
}

impl WithSimd for Transform<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { boards, count, .. } = self;
        let vectors = self.stride / S::F32_LANES;
        let (rows, columns) = boards.tiles();
        let from = S::as_simd_f32s(self.from).0;
        let distance = distance(count * rows * columns, self.stride) / S::F32_LANES;
        let to = S::as_mut_simd_f32s(self.to).0;
        let mut tile = 0;
        for board in 0..count {
            for row in 0..rows {
                for column in 0..columns {
                    let corner = boards.place(board, TILE * row, TILE * column) - boards.line - 1;
                    for vector in 0..vectors {
                        let from = &from[corner * vectors + vector..];
                        let to = &mut to[tile * vectors + vector..];
                        forth(simd, from, boards.line * vectors, vectors, to, distance);
                    }
                    tile += 1;
                }
            }
        }
    }
}

/// Transforms 6x6 points of a vector of channels.
#[inline(always)]
fn forth<S: Simd>(
    simd: S,
    from: &[S::f32s],
    line: usize,
    vectors: usize,
    to: &mut [S::f32s],
    distance: usize,
) {
    let mut half = [[simd.splat_f32s(0.0); SIDE]; SIDE];
    let (line_length, reach) = (5 * vectors + 1, 5 * line + 5 * vectors + 1);
    let from = &from[..reach];
    for (row, half) in half.iter_mut().enumerate() {
        let points = &from[row * line..][..line_length];
        *half = forth_line(simd, std::array::from_fn(|column| points[column * vectors]));
    }
    let to = &mut to[..(FREQUENCIES - 1) * distance + 1];
    for column in 0..SIDE {
        let line = forth_line(simd, std::array::from_fn(|row| half[row][column]));
        for (row, number) in line.into_iter().enumerate() {
            to[(row * SIDE + column) * distance] = number;
        }
    }
}

/// The values of a polynomial of five times at the points, but for factors that the weights have.
#[inline(always)]
fn forth_line<S: Simd>(simd: S, d: [S::f32s; SIDE]) -> [S::f32s; SIDE] {
    let add = |c: f32, x, y| simd.mul_add_e_f32s(simd.splat_f32s(c), x, y);
    let even_a = add(-B2, d[2], d[4]);
    let odd_a = add(-B2, d[1], d[3]);
    let even_b = add(-A2, d[2], d[4]);
    let odd_b = add(-A2, d[1], d[3]);
    [
        add(-A2 - B2, d[2], simd.add_f32s(d[0], d[4])),
        add(A, odd_a, even_a),
        add(-A, odd_a, even_a),
        add(B, odd_b, even_b),
        add(-B, odd_b, even_b),
        add(-A2 - B2, d[3], simd.add_f32s(d[1], d[5])),
    ]
}

/// Products and the way back, after the input has been transformed.
pub struct Winograd<'a> {
    /// The boards.
    pub boards: &'a Boards,
    /// How many of them.
    pub count: usize,
    /// The transformed weights.
    pub panels: &'a Panels,
    /// What is done with the results.
    pub finish: &'a Finish,
    /// The transformed input.
    pub inputs: &'a Aligned,
    /// Channels of the input, filled up.
    pub stride: usize,
    /// Room for the products, `[36, tiles, outputs]`, with gaps.
    pub products: &'a mut Aligned,
    /// The output.
    pub to: &'a mut Aligned,
    /// What is added on all points of a board.
    pub added: Option<&'a Aligned>,
    /// The normed copy, empty if there is none.
    pub copy: &'a mut Aligned,
}

impl WithSimd for Winograd<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (rows, columns) = self.boards.tiles();
        let tiles = self.count * rows * columns;
        let stride = self.stride;
        let vectors = self.panels.vectors;
        let products = S::as_mut_simd_f32s(self.products).0;
        let from = distance(tiles, stride);
        let apart = distance(tiles, vectors * S::F32_LANES) / S::F32_LANES;
        for frequency in 0..FREQUENCIES {
            let inputs = Inputs {
                numbers: &self.inputs[frequency * from..][..tiles * stride],
                rows: tiles,
                start: |row: usize| row * stride,
                taps: &[0],
            };
            let mut sink = Dense {
                to: &mut products[frequency * apart..][..tiles * vectors],
                vectors,
            };
            multiply(simd, inputs, self.panels.sheet::<S>(frequency), &mut sink);
        }
        let mut results = Results::new(simd, self.finish, self.to, self.added, self.copy);
        let mut tile = 0;
        for board in 0..self.count {
            for row in 0..rows {
                for column in 0..columns {
                    let corner = Corner {
                        boards: self.boards,
                        board,
                        row: TILE * row,
                        column: TILE * column,
                    };
                    for vector in 0..vectors {
                        let products = &products[tile * vectors + vector..];
                        corner.store(simd, vector, back(simd, products, apart), &mut results);
                    }
                    tile += 1;
                }
            }
        }
    }
}

/// Where a tile begins.
struct Corner<'a> {
    boards: &'a Boards,
    board: usize,
    row: usize,
    column: usize,
}

impl Corner<'_> {
    /// Stores a vector of outputs of the tile's points, as far as they are on the board.
    #[inline(always)]
    fn store<S: Simd>(
        &self,
        simd: S,
        vector: usize,
        sums: [[S::f32s; TILE]; TILE],
        results: &mut Results<'_, S>,
    ) {
        let boards = self.boards;
        let columns = TILE.min(boards.width - self.column);
        for (row, sums) in sums.iter().enumerate().take(boards.height - self.row) {
            let place = boards.place(self.board, self.row + row, self.column);
            for (column, sum) in sums.iter().enumerate().take(columns) {
                results.store(simd, place + column, self.board, vector, *sum);
            }
        }
    }
}

/// Transforms the products of a tile back.
#[inline(always)]
fn back<S: Simd>(simd: S, products: &[S::f32s], distance: usize) -> [[S::f32s; TILE]; TILE] {
    let products = &products[..(FREQUENCIES - 1) * distance + 1];
    let mut half = [[simd.splat_f32s(0.0); TILE]; SIDE];
    for (row, half) in half.iter_mut().enumerate() {
        let line = std::array::from_fn(|column| products[(row * SIDE + column) * distance]);
        *half = back_line(simd, line);
    }
    let mut result = [[simd.splat_f32s(0.0); TILE]; TILE];
    for column in 0..TILE {
        let line = back_line(simd, std::array::from_fn(|row| half[row][column]));
        for (row, number) in line.into_iter().enumerate() {
            result[row][column] = number;
        }
    }
    result
}

/// The sums of the products times the powers of the points.
#[inline(always)]
fn back_line<S: Simd>(simd: S, m: [S::f32s; SIDE]) -> [S::f32s; TILE] {
    let times = |c: f32, x| simd.mul_f32s(simd.splat_f32s(c), x);
    let add = |c: f32, x, y| simd.mul_add_e_f32s(simd.splat_f32s(c), x, y);
    let (sum_a, odd_a) = (simd.add_f32s(m[1], m[2]), simd.sub_f32s(m[1], m[2]));
    let (sum_b, odd_b) = (simd.add_f32s(m[3], m[4]), simd.sub_f32s(m[3], m[4]));
    [
        simd.add_f32s(m[0], simd.add_f32s(sum_a, sum_b)),
        add(A, odd_a, times(B, odd_b)),
        add(A2, sum_a, times(B2, sum_b)),
        add(A * A2, odd_a, add(B * B2, odd_b, m[5])),
    ]
}
