// 3x3 convolutions of the trainer on CPUs: Winograd's minimal filtering (Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks", 2016) with products of bfloat16 pairs summed in float32. Boards are divided into
// tiles of 4x4 points, or 3x3 where that takes fewer products (9x9), so that the nine products per weight and point
// become 36 for 16 points or 25 for 9. Requires AVX-512 with bfloat16; winograd.py builds and loads this file.
//
// Tensors are float32 in channels-last layout: boards [n, channels, height, width], weights [outputs, inputs, 3, 3].
// Channels are multiples of 16. In the Winograd domain a tile has `SIDE * SIDE` numbers per channel, its frequencies.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/library.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "winograd_tiles.h"

namespace {

using Half = uint16_t;

// Number of tiles per group; the numbers of a group fit the L2 cache.
constexpr int TILES = 24;
// Number of accumulators, of 32 registers.
constexpr int SUMS = 24;
// Padding between frequencies, so that they do not map to the same lines of the L1 cache.
constexpr int GAP = 32;

// Distance between the frequencies of a group of tiles.
long step_of(int channels) { return long(TILES) * channels + GAP; }

long groups_of(long tiles) { return (tiles + TILES - 1) / TILES; }

// Interleaves pairs (low, high) of bfloat16 lane by lane.
inline __m512i pairs(Vector low, Vector high) {
    const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8,
                                           23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return _mm512_permutexvar_epi16(order, (__m512i)_mm512_cvtne2ps_pbh(high, low));
}

// Operands of a matrix product of pairs: sums[i][k] (+)= sum over d < depth of row i's d-th pair times column k's.
// The pair of a row is rows[i * row_step + d * depth_step]; those of the columns start at columns[d * columns_step].
struct Operands {
    const int32_t* rows;
    long row_step, depth_step;
    int count;
    const Half* columns;
    long columns_step;
    int depth;
    float* sums;
    long sums_step;
    bool add;
};

// Multiplies the rows starting at `first`, up to the number of registers, with WIDE vectors of columns.
template <int WIDE, int COUNT>
INLINE void product_of_rows(const Operands& o, int first) {
    const int32_t* rows = o.rows + first * o.row_step;
    float* sums = o.sums + first * o.sums_step;
    Vector acc[COUNT][WIDE];
#pragma GCC unroll 24
    for (int i = 0; i < COUNT; i++)
#pragma GCC unroll 8
        for (int k = 0; k < WIDE; k++)
            acc[i][k] = o.add ? _mm512_loadu_ps(sums + i * o.sums_step + k * LANES) : _mm512_setzero_ps();
    for (int d = 0; d < o.depth; d++) {
        __m512i column[WIDE];
#pragma GCC unroll 8
        for (int k = 0; k < WIDE; k++) column[k] = _mm512_loadu_si512(o.columns + d * o.columns_step + k * 2 * LANES);
#pragma GCC unroll 24
        for (int i = 0; i < COUNT; i++) {
            __m512i row = _mm512_set1_epi32(rows[i * o.row_step + d * o.depth_step]);
#pragma GCC unroll 8
            for (int k = 0; k < WIDE; k++)
                acc[i][k] = _mm512_dpbf16_ps(acc[i][k], (__m512bh)row, (__m512bh)column[k]);
        }
    }
#pragma GCC unroll 24
    for (int i = 0; i < COUNT; i++)
#pragma GCC unroll 8
        for (int k = 0; k < WIDE; k++) _mm512_storeu_ps(sums + i * o.sums_step + k * LANES, acc[i][k]);
}

template <int WIDE>
void product_of_panel(const Operands& o) {
    constexpr int COUNT = SUMS / WIDE;
    int i = 0;
    for (; i + COUNT <= o.count; i += COUNT) product_of_rows<WIDE, COUNT>(o, i);
    for (; i < o.count; i++) product_of_rows<WIDE, 1>(o, i);
}

// Number of vectors of 16 channels per panel: the largest divisor up to 6.
int panel_of(int channels) {
    int vectors = channels / LANES, wide = 6;
    while (vectors % wide) wide--;
    return wide;
}

// Multiplies all `width` columns, panel by panel.
void products(Operands o, int width) {
    int wide = panel_of(width);
    for (int k = 0; k < width; k += wide * LANES, o.columns += 2 * wide * LANES, o.sums += wide * LANES) {
        switch (wide) {
            case 1: product_of_panel<1>(o); break;
            case 2: product_of_panel<2>(o); break;
            case 3: product_of_panel<3>(o); break;
            case 4: product_of_panel<4>(o); break;
            case 5: product_of_panel<5>(o); break;
            default: product_of_panel<6>(o);
        }
    }
}

// Working memory of a thread, uninitialised.
template <class T>
struct Room {
    T* at;
    explicit Room(long n) : at(static_cast<T*>(aligned_alloc(64, (n * sizeof(T) + 63) / 64 * 64))) {
        TORCH_CHECK(at, "no memory for ", n * sizeof(T), " bytes");
    }
    ~Room() { free(at); }
    Room(const Room&) = delete;
};

// Converts weights [3][3][inputs][outputs] to pairs of inputs, [frequency][inputs / 2][outputs][2].
template <int TILE>
void transform_weights(const float* w, int inputs, int outputs, Half* out) {
    constexpr int SIDE = Transforms<TILE>::SIDE;
    long size = long(inputs) * outputs;
    for (int c = 0; c < inputs; c += 2)
        for (int k = 0; k < outputs; k += LANES) {
            Vector both[2][SIDE * SIDE];
            for (int half = 0; half < 2; half++) {
                Vector in[9];
                for (int i = 0; i < 9; i++) in[i] = _mm512_loadu_ps(w + i * size + (c + half) * outputs + k);
                apply_both(Transforms<TILE>::WEIGHT, in, both[half]);
            }
            for (int f = 0; f < SIDE * SIDE; f++)
                _mm512_storeu_si512(out + f * size + c * outputs + k * 2, pairs(both[0][f], both[1][f]));
        }
}

// Transforms tiles into the Winograd domain: [frequency][tile][channel], with frequencies `step` apart.
template <int TILE>
void load_group(const float* x, const Boards<TILE>& boards, long first, int count, int channels, Half* out, long step) {
    using T = Transforms<TILE>;
    for (int t = 0; t < count; t++)
        for (int c = 0; c < channels; c += LANES) {
            Vector v[T::SIDE * T::SIDE];
            load_tile(T::IN, x, boards, first + t, 1, channels, c, v);
#pragma GCC unroll 36
            for (int f = 0; f < T::SIDE * T::SIDE; f++)
                _mm256_storeu_si256((__m256i*)(out + f * step + t * channels + c), (__m256i)_mm512_cvtneps_pbh(v[f]));
        }
}

// Transforms tiles back to the boards.
template <int TILE>
void store_group(const float* in, long step, const Boards<TILE>& boards, long first, int count, int channels,
                 float* y) {
    using T = Transforms<TILE>;
    for (int t = 0; t < count; t++) {
        auto [board, row, column] = boards.place(first + t);
        int rows = std::min(TILE, boards.height - row), columns = std::min(TILE, boards.width - column);
        for (int k = 0; k < channels; k += LANES) {
            Vector v[T::SIDE * T::SIDE], points[TILE * TILE];
#pragma GCC unroll 36
            for (int f = 0; f < T::SIDE * T::SIDE; f++) v[f] = _mm512_loadu_ps(in + f * step + t * channels + k);
            apply_both(T::OUT, v, points);
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < columns; c++)
                    _mm512_storeu_ps(y + boards.point(board, row + r, column + c) * channels + k, points[r * TILE + c]);
        }
    }
}

// Computes `y` = `x` convolved with weights [3][3][inputs][outputs].
template <int TILE>
void convolve(const at::Tensor& x, const at::Tensor& w, at::Tensor& y) {
    constexpr int F = Transforms<TILE>::SIDE * Transforms<TILE>::SIDE;
    int inputs = x.size(1), outputs = y.size(1);
    long size = long(inputs) * outputs, in_step = step_of(inputs), out_step = step_of(outputs);
    Boards<TILE> boards(x);
    Room<Half> weights(F * size);
    transform_weights<TILE>(w.data_ptr<float>(), inputs, outputs, weights.at);
    const float* from = x.data_ptr<float>();
    float* to = y.data_ptr<float>();
    at::parallel_for(0, groups_of(boards.tiles), 1, [&](long begin, long end) {
        Room<Half> in(F * in_step);
        Room<float> out(F * out_step);
        for (long group = begin; group < end; group++) {
            long first = group * TILES;
            int count = std::min<long>(TILES, boards.tiles - first);
            load_group(from, boards, first, count, inputs, in.at, in_step);
            for (int f = 0; f < F; f++)
                products({(const int32_t*)(in.at + f * in_step), inputs / 2, 1, count, weights.at + f * size,
                          2L * outputs, inputs / 2, out.at + f * out_step, outputs, false}, outputs);
            store_group(out.at, out_step, boards, first, count, outputs, to);
        }
    });
}

// Transforms pairs of tiles into the Winograd domain: [frequency][tile / 2][channel][2].
template <int TILE, int ROWS, int COLUMNS>
void load_pairs(const Matrix<ROWS, COLUMNS>& m, const float* x, const Boards<TILE>& boards, long first, int count,
                int border, int channels, Half* out, long step) {
    for (int t = 0; t < count; t += 2)
        for (int c = 0; c < channels; c += LANES) {
            Vector v[2][ROWS * ROWS];
            load_tile(m, x, boards, first + t, border, channels, c, v[0]);
            if (t + 1 < count) {
                load_tile(m, x, boards, first + t + 1, border, channels, c, v[1]);
            } else {
                std::memset(v[1], 0, sizeof v[1]);
            }
#pragma GCC unroll 36
            for (int f = 0; f < ROWS * ROWS; f++)
                _mm512_storeu_si512(out + f * step + t * channels + c * 2, pairs(v[0][f], v[1][f]));
        }
}

// Adds the weight gradients of groups `group` to `end` (exclusive) to `sums`, [frequency][inputs][outputs].
template <int TILE>
void add_groups(const at::Tensor& x, const at::Tensor& dy, long group, long end, float* sums) {
    using T = Transforms<TILE>;
    constexpr int F = T::SIDE * T::SIDE;
    static constexpr auto OUT_BACK = transposed(T::OUT);
    int inputs = x.size(1), outputs = dy.size(1);
    long in_step = step_of(inputs), out_step = step_of(outputs);
    Boards<TILE> boards(x);
    Room<Half> in(F * in_step), out(F * out_step);
    for (; group < end; group++) {
        long first = group * TILES;
        int count = std::min<long>(TILES, boards.tiles - first);
        load_pairs(T::IN, x.data_ptr<float>(), boards, first, count, 1, inputs, in.at, in_step);
        load_pairs(OUT_BACK, dy.data_ptr<float>(), boards, first, count, 0, outputs, out.at, out_step);
        for (int f = 0; f < F; f++)
            products({(const int32_t*)(in.at + f * in_step), 1, inputs, inputs, out.at + f * out_step, 2L * outputs,
                      (count + 1) / 2, sums + long(f) * inputs * outputs, outputs, true}, outputs);
    }
}

// Returns the weight gradient, [3][3][inputs][outputs]. Every thread sums over some of the tiles.
template <int TILE>
void weight_gradient(const at::Tensor& x, const at::Tensor& dy, at::Tensor& dw) {
    using T = Transforms<TILE>;
    constexpr int F = T::SIDE * T::SIDE;
    static constexpr auto WEIGHT_BACK = transposed(T::WEIGHT);
    long size = x.size(1) * dy.size(1), groups = groups_of(Boards<TILE>(x).tiles);
    int threads = at::get_num_threads();
    Room<float> sums(threads * F * size);
    at::parallel_for(0, threads, 1, [&](long begin, long end) {
        for (long thread = begin; thread < end; thread++) {
            float* own = sums.at + thread * F * size;
            std::memset(own, 0, F * size * sizeof(float));
            add_groups<TILE>(x, dy, thread * groups / threads, (thread + 1) * groups / threads, own);
        }
    });
    float* to = dw.data_ptr<float>();
    at::parallel_for(0, size / LANES, 64, [&](long begin, long end) {
        for (long i = begin * LANES; i < end * LANES; i += LANES) {
            Vector v[F], points[9];
            for (int f = 0; f < F; f++) {
                v[f] = _mm512_loadu_ps(sums.at + f * size + i);
                for (int thread = 1; thread < threads; thread++)
                    v[f] = _mm512_add_ps(v[f], _mm512_loadu_ps(sums.at + (thread * F + f) * size + i));
            }
            apply_both(WEIGHT_BACK, v, points);
            for (int p = 0; p < 9; p++) _mm512_storeu_ps(to + p * size + i, points[p]);
        }
    });
}

// Returns true if 3x3 tiles take fewer products than 4x4 tiles.
bool small_tiles(const at::Tensor& x) {
    auto products = [&](int tile) {
        long rows = (x.size(2) + tile - 1) / tile, columns = (x.size(3) + tile - 1) / tile;
        return rows * columns * (tile + 2) * (tile + 2);
    };
    return products(3) < products(4);
}

at::Tensor channels_last(const at::Tensor& x) { return x.contiguous(at::MemoryFormat::ChannelsLast); }

// Convolves boards with weights [3][3][inputs][outputs].
at::Tensor convolved(const at::Tensor& x, const at::Tensor& w) {
    TORCH_CHECK(x.dtype() == at::kFloat && w.dtype() == at::kFloat, "expected float32, found ", x.dtype(), " and ",
                w.dtype());
    TORCH_CHECK(w.size(0) == 3 && w.size(2) == x.size(1) && w.size(2) % LANES == 0 && w.size(3) % LANES == 0,
                "expected 3x3 weights for ", x.size(1), " inputs and multiples of ", LANES, ", found ", w.sizes());
    auto y = at::empty({x.size(0), w.size(3), x.size(2), x.size(3)}, x.options(), at::MemoryFormat::ChannelsLast);
    small_tiles(x) ? convolve<3>(x, w, y) : convolve<4>(x, w, y);
    return y;
}

at::Tensor convolution(const at::Tensor& x, const at::Tensor& w) {
    return convolved(channels_last(x), w.permute({2, 3, 1, 0}).contiguous());
}

// The input gradient is a convolution with flipped weights and exchanged inputs and outputs.
at::Tensor input_gradient(const at::Tensor& dy, const at::Tensor& w) {
    return convolved(channels_last(dy), w.flip({2, 3}).permute({2, 3, 0, 1}).contiguous());
}

at::Tensor weight_gradient_of(const at::Tensor& x, const at::Tensor& dy) {
    auto boards = channels_last(x), gradients = channels_last(dy);
    auto dw = at::empty({3, 3, x.size(1), dy.size(1)}, x.options());
    small_tiles(x) ? weight_gradient<3>(boards, gradients, dw) : weight_gradient<4>(boards, gradients, dw);
    return dw.permute({3, 2, 0, 1}).contiguous();
}

}  // namespace

TORCH_LIBRARY(winograd, library) {
    library.def("convolution(Tensor x, Tensor w) -> Tensor");
    library.def("input_gradient(Tensor dy, Tensor w) -> Tensor");
    library.def("weight_gradient(Tensor x, Tensor dy) -> Tensor");
}

TORCH_LIBRARY_IMPL(winograd, CPU, library) {
    library.impl("convolution", convolution);
    library.impl("input_gradient", input_gradient);
    library.impl("weight_gradient", weight_gradient_of);
}
