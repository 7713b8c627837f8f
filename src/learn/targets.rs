//! Training targets of positions.

/// Training targets of a position, from the perspective of the player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionTargets {
    /// Target policy: the points in order, then the pass. Sums to 1.
    pub policy: Vec<f32>,
    /// The result, from -1 to 1.
    pub value: f32,
    /// The lead in points, if known.
    pub lead: Option<f32>,
    /// The owner of each point, from -1 to 1, if known.
    pub ownership: Option<Vec<f32>>,
}
