//! Training targets of positions.

use crate::game::point::BoardSize;

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

impl PositionTargets {
    /// Returns targets without information: a uniform policy and the value 0.
    pub(super) fn unknown(size: BoardSize) -> Self {
        let moves = size.area() + 1;
        Self {
            policy: vec![1.0 / moves as f32; moves],
            value: 0.0,
            lead: None,
            ownership: None,
        }
    }

    /// Blends result, lead and ownership with `other`; `weight` is the weight of `self`. A target known to
    /// only one of them is taken from it.
    pub(super) fn blend(&mut self, other: &Self, weight: f32) {
        let blended = |own: f32, other: f32| other + weight * (own - other);
        self.value = blended(self.value, other.value);
        self.lead = match (self.lead, other.lead) {
            (Some(own), Some(other)) => Some(blended(own, other)),
            (own, other) => own.or(other),
        };
        match (&mut self.ownership, &other.ownership) {
            (Some(ownership), Some(other)) => blend_values(ownership, other, weight),
            (Some(_), None) => {}
            (missing, other) => missing.clone_from(other),
        }
    }
}

/// Blends two arrays; `weight` is the weight of `values`.
pub(super) fn blend_values(values: &mut [f32], other_values: &[f32], weight: f32) {
    for (value, other) in values.iter_mut().zip(other_values) {
        *value = other + weight * (*value - other);
    }
}
