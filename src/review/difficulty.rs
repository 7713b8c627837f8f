//! Losses of the candidates of a search, and the difficulty of a position, as in KaTrain.

use super::analysis::PositionAnalysis;
use crate::game::color::Color;

/// Returns the difficulty of a position for `color`, the side to move: the mean loss of the candidates in points,
/// weighted with their priors and at most 1. Returns `None` if there are no candidates.
pub fn difficulty(analysis: &PositionAnalysis, color: Color) -> Option<f64> {
    let losses = candidate_losses(analysis, color);
    let priors = (analysis.moves.iter()).map(|candidate| f64::from(candidate.prior));
    let (mut weight, mut weighted_loss) = (0.0, 0.0);
    for (prior, loss) in priors.zip(losses) {
        weight += prior;
        weighted_loss += prior * loss;
    }
    (weight > 0.0).then(|| (weighted_loss / weight).min(1.0))
}

/// Returns the points that each candidate loses compared with the best one, at least 0. `color` is the side to move.
pub fn candidate_losses(analysis: &PositionAnalysis, color: Color) -> Vec<f64> {
    let best = analysis.moves.first().map_or(0.0, |best| best.lead);
    let loss = |lead: f64| color.to_perspective(best - lead).max(0.0);
    analysis
        .moves
        .iter()
        .map(|candidate| loss(candidate.lead))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::point::Move;
    use crate::review::analysis::CandidateMove;

    #[test]
    fn difficulty_is_mean_loss_weighted_by_priors() {
        let candidate = |prior: f32, lead: f64| CandidateMove {
            mv: Move::Pass,
            visits: 1,
            prior,
            winrate: 0.5,
            lead,
            pv: vec![Move::Pass],
        };
        let analysis = |moves| PositionAnalysis {
            winrate: 0.5,
            lead: 0.0,
            visits: 4,
            moves,
            ownership: Vec::new(),
        };
        // White loses 0, 0.5 and 2 points, and gains with the last move.
        let moves = vec![
            candidate(0.5, -3.0),
            candidate(0.25, -2.5),
            candidate(0.125, -1.0),
            candidate(0.125, -4.0),
        ];
        let white = analysis(moves.clone());
        assert_eq!(candidate_losses(&white, Color::White), [0.0, 0.5, 2.0, 0.0]);
        assert_eq!(difficulty(&white, Color::White), Some(0.375));
        assert_eq!(difficulty(&analysis(Vec::new()), Color::White), None);
        let hard = analysis(vec![candidate(0.1, 9.0), candidate(0.9, 0.0)]);
        assert_eq!(difficulty(&hard, Color::Black), Some(1.0));
    }
}
