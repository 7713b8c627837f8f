//! Training targets of positions.

/// Training targets of a position, from the perspective of the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionTargets {
    /// Target policy: one value per point, then one for a pass, with a sum of 1.
    pub policy: Vec<f32>,
    /// Expected result, from -1 (loss) to 1 (win).
    pub value: f32,
    /// Lead in points, including komi; `None` if unknown.
    pub lead: Option<f32>,
    /// Owner of each point, from -1 (opponent) to 1 (player to move); `None` if unknown.
    pub ownership: Option<Vec<f32>>,
}
