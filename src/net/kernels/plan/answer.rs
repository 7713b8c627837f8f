//! Collection of the outputs of the heads.

use super::super::buffers::Buffer;
use super::super::steps::Policy;
use super::{Plan, Scratch};

impl Plan {
    /// Copies the outputs for one board from the heads' buffers to `scratch.answer`.
    pub(super) fn answer(&self, board: usize, scratch: &mut Scratch) {
        let Scratch {
            boards,
            buffers,
            answer,
            ..
        } = scratch;
        let area = boards.area();
        let heads = &self.compiled.heads;
        let row = |(buffer, length): (Buffer, usize)| {
            &buffers[buffer][board * self.stride(buffer)..][..length]
        };
        answer.clear();
        let points = |to: &mut Vec<f32>, buffer: Buffer, kinds: usize| {
            let stride = self.stride(buffer);
            for place in &boards.points(board + 1).places[board * area..] {
                to.extend_from_slice(&buffers[buffer][place * stride..][..kinds]);
            }
        };
        match heads.policy {
            Policy::Points(buffer, kinds) => points(&mut answer.policy, buffer, kinds),
            Policy::Flat(buffer) => {
                let (policy, pass) = row((buffer, area + 1)).split_at(area);
                answer.policy.extend_from_slice(policy);
                answer.pass.extend_from_slice(pass);
            }
        }
        if let Some(pass) = heads.pass {
            answer.pass.extend_from_slice(row(pass));
        }
        answer.result.extend_from_slice(row(heads.result));
        if let Some(score) = heads.score {
            answer.score.extend_from_slice(row(score));
        }
        if let Some(ownership) = heads.ownership {
            points(&mut answer.ownership, ownership, 1);
        }
    }
}
