//! What the heads of a network say of a position, before it is read out: what every executor gives.

/// The heads' numbers of one position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Logits of the points in reading order, those of a point side by side.
    pub policy: Vec<f32>,
    /// Logits of the pass; none if it is not rated.
    pub pass: Vec<f32>,
    /// What tells the result.
    pub result: Vec<f32>,
    /// What tells the score; none if the net does not.
    pub score: Vec<f32>,
    /// The ownership of each point before its `tanh`; none if the net does not tell it.
    pub ownership: Vec<f32>,
}

impl Answer {
    /// Says nothing, but keeps the room for the next answer.
    pub fn clear(&mut self) {
        let Self {
            policy,
            pass,
            result,
            score,
            ownership,
        } = self;
        for part in [policy, pass, result, score, ownership] {
            part.clear();
        }
    }
}
