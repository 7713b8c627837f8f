//! Killer moves: for each depth, the last two different moves that caused a cutoff there. Such a move often causes the
//! next cutoff at the same depth as well.

const KILLERS_PER_DEPTH: usize = 2;

/// Killer moves of a search, indexed by depth.
#[derive(Clone, Debug)]
pub struct Killers<M> {
    by_depth: Vec<[Option<M>; KILLERS_PER_DEPTH]>,
}

impl<M> Default for Killers<M> {
    fn default() -> Self {
        Self {
            by_depth: Vec::new(),
        }
    }
}

impl<M: Copy + PartialEq> Killers<M> {
    /// Removes all killer moves.
    pub fn clear(&mut self) {
        self.by_depth.clear();
    }

    /// Records that `mv` caused a cutoff at `depth`.
    pub fn add(&mut self, depth: usize, mv: M) {
        if self.by_depth.len() <= depth {
            self.by_depth.resize(depth + 1, [None; KILLERS_PER_DEPTH]);
        }
        let [last, previous] = &mut self.by_depth[depth];
        if *last != Some(mv) {
            (*last, *previous) = (Some(mv), *last);
        }
    }

    /// Returns the killer moves at `depth`, most recent first.
    pub fn at(&self, depth: usize) -> [Option<M>; KILLERS_PER_DEPTH] {
        self.by_depth
            .get(depth)
            .copied()
            .unwrap_or([None; KILLERS_PER_DEPTH])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_last_two_per_depth() {
        let mut killers = Killers::default();
        assert_eq!(killers.at(3), [None, None]);
        for mv in ['a', 'b', 'b', 'c', 'c'] {
            killers.add(3, mv);
        }
        assert_eq!(killers.at(3), [Some('c'), Some('b')]);
        assert_eq!(killers.at(2), [None, None]);
        killers.clear();
        assert_eq!(killers.at(3), [None, None]);
    }
}
