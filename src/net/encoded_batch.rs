//! Input of a network: a batch of encoded positions.

/// A batch of encoded positions on boards of the same size. The input planes cover exactly the points of the board.
#[derive(Clone, Copy, Debug)]
pub struct EncodedBatch<'a> {
    pub count: usize,
    /// Number of columns of the boards, at least 1.
    pub width: usize,
    /// Number of rows of the boards, at least 1.
    pub height: usize,
    /// Input planes, `[count, planes, height, width]`.
    pub planes: &'a [f32],
    /// Global inputs, `[count, globals]`; empty if the network has none.
    pub globals: &'a [f32],
    /// Player profiles, `[count, 192]`; empty if the network has no profile input.
    pub profiles: &'a [f32],
    /// For each position, true if the rules allow a game to end without a result, `[count]`.
    pub no_result: &'a [bool],
    /// Weight of the optimistic policy, from 0 to 1. Ignored by networks that have only one policy.
    pub optimism: f32,
}

impl<'a> EncodedBatch<'a> {
    /// Returns the batch of the positions `first..first + count`.
    pub(super) fn slice(&self, first: usize, count: usize) -> Self {
        let part = |values: &'a [f32]| {
            let length = values.len() / self.count;
            &values[first * length..][..count * length]
        };
        Self {
            count,
            planes: part(self.planes),
            globals: part(self.globals),
            profiles: part(self.profiles),
            no_result: &self.no_result[first..first + count],
            ..*self
        }
    }

    /// Returns one row per position, which consists of the global inputs and the player profile, `[count, globals +
    /// profile]`.
    pub(super) fn global_rows(&self) -> Vec<f32> {
        let positions = (0..self.count).map(|index| self.slice(index, 1));
        let rows = positions.map(|position| [position.globals, position.profiles].concat());
        rows.flatten().collect()
    }
}
