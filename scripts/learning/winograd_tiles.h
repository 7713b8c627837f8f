// Board tiles and their Winograd transforms, 16 channels at a time.

#pragma once

#include <ATen/ATen.h>
#include <immintrin.h>

// Vectors stay in registers only in inlined functions.
#define INLINE [[gnu::always_inline]] inline

namespace {

using Vector = __m512;

constexpr int LANES = 16;

template <int ROWS, int COLUMNS>
struct Matrix {
    float at[ROWS][COLUMNS];
};

template <int ROWS, int COLUMNS>
constexpr Matrix<COLUMNS, ROWS> transposed(const Matrix<ROWS, COLUMNS>& m) {
    Matrix<COLUMNS, ROWS> t{};
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) t.at[c][r] = m.at[r][c];
    return t;
}

// Transforms of F(TILE, 3): y = OUT ((WEIGHT w) * (IN x)), at the points 0, 1, -1, 2 and infinity, and -2 for TILE 4.
template <int TILE>
struct Transforms;

template <>
struct Transforms<3> {
    static constexpr int SIDE = 5;
    static constexpr Matrix<5, 5> IN{
        {{2, -1, -2, 1, 0}, {0, -2, -1, 1, 0}, {0, 2, -3, 1, 0}, {0, -1, 0, 1, 0}, {0, 2, -1, -2, 1}}};
    static constexpr Matrix<5, 3> WEIGHT{{{1 / 2.f, 0, 0}, {-1 / 2.f, -1 / 2.f, -1 / 2.f},
                                          {-1 / 6.f, 1 / 6.f, -1 / 6.f}, {1 / 6.f, 1 / 3.f, 2 / 3.f}, {0, 0, 1}}};
    static constexpr Matrix<3, 5> OUT{{{1, 1, 1, 1, 0}, {0, 1, -1, 2, 0}, {0, 1, 1, 4, 1}}};
};

template <>
struct Transforms<4> {
    static constexpr int SIDE = 6;
    static constexpr Matrix<6, 6> IN{{{4, 0, -5, 0, 1, 0}, {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
                                      {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}}};
    static constexpr Matrix<6, 3> WEIGHT{{{1 / 4.f, 0, 0}, {-1 / 6.f, -1 / 6.f, -1 / 6.f},
                                          {-1 / 6.f, 1 / 6.f, -1 / 6.f}, {1 / 24.f, 1 / 12.f, 1 / 6.f},
                                          {1 / 24.f, -1 / 12.f, 1 / 6.f}, {0, 0, 1}}};
    static constexpr Matrix<4, 6> OUT{
        {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}}};
};

// Computes out[r] = sum of m[r][c] * in[c], with a distance of `stride` between elements.
template <int ROWS, int COLUMNS>
INLINE void apply(const Matrix<ROWS, COLUMNS>& m, const Vector* in, Vector* out, int in_stride, int out_stride) {
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++) {
        Vector sum = _mm512_setzero_ps();
#pragma GCC unroll 8
        for (int c = 0; c < COLUMNS; c++)
            if (m.at[r][c] != 0.f) sum = _mm512_fmadd_ps(_mm512_set1_ps(m.at[r][c]), in[c * in_stride], sum);
        out[r * out_stride] = sum;
    }
}

// Computes m in mT for a square of vectors.
template <int ROWS, int COLUMNS>
INLINE void apply_both(const Matrix<ROWS, COLUMNS>& m, const Vector* in, Vector* out) {
    Vector half[ROWS * COLUMNS];
#pragma GCC unroll 8
    for (int c = 0; c < COLUMNS; c++) apply(m, in + c, half + c, COLUMNS, COLUMNS);
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++) apply(m, half + r * COLUMNS, out + r * ROWS, 1, 1);
}

// Boards of a tensor and their tiles.
template <int TILE>
struct Boards {
    int height, width, down, across;
    long tiles;

    explicit Boards(const at::Tensor& x)
        : height(x.size(2)), width(x.size(3)), down((height + TILE - 1) / TILE), across((width + TILE - 1) / TILE),
          tiles(x.size(0) * down * across) {}

    struct Place {
        long board;
        int row, column;
    };

    // Returns the board of a tile and its first row and column.
    Place place(long tile) const {
        int rest = tile % (down * across);
        return {tile / (down * across), rest / across * TILE, rest % across * TILE};
    }

    // Returns the index of a point among those of all boards.
    long point(long board, int row, int column) const { return (board * height + row) * width + column; }
};

// Transforms a square of points, starting `border` points before a tile, for 16 channels. Points off the board are
// zero.
template <int TILE, int ROWS, int COLUMNS>
INLINE void load_tile(const Matrix<ROWS, COLUMNS>& m, const float* x, const Boards<TILE>& boards, long tile, int border,
                      int channels, int channel, Vector* out) {
    auto [board, row, column] = boards.place(tile);
    Vector in[COLUMNS * COLUMNS];
#pragma GCC unroll 8
    for (int r = 0; r < COLUMNS; r++)
#pragma GCC unroll 8
        for (int c = 0; c < COLUMNS; c++) {
            int y = row + r - border, x_ = column + c - border;
            bool on = y >= 0 && y < boards.height && x_ >= 0 && x_ < boards.width;
            in[r * COLUMNS + c] =
                on ? _mm512_loadu_ps(x + boards.point(board, y, x_) * channels + channel) : _mm512_setzero_ps();
        }
    apply_both(m, in, out);
}

}  // namespace
