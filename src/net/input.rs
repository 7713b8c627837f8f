//! The input of a network: encoded positions.

/// Encoded positions, all on boards of the same size and all of whose points are on board.
#[derive(Clone, Copy, Debug)]
pub struct NetInput<'a> {
    /// Number of positions.
    pub count: usize,
    /// Columns of the boards, at least 1.
    pub width: usize,
    /// Rows of the boards, at least 1.
    pub height: usize,
    /// `[count, planes, height, width]`
    pub planes: &'a [f32],
    /// `[count, globals]`; empty for a net without global inputs.
    pub globals: &'a [f32],
    /// `[count, 192]`; empty for a net that is not told about the players.
    pub profiles: &'a [f32],
    /// `[count]`: whether the rules know games without result.
    pub no_result: &'a [bool],
    /// From 0 to 1: how far the policy is that of a player who hopes for surprises, if the net has such a one.
    pub optimism: f32,
}
