//! Networks from descriptions, in the precision that is asked for.

use super::EvalError;
use super::network::NetworkEvaluator;
use crate::encode::katago::profile::Profile;
use crate::game::position::Position;
use crate::net::desc::NetDesc;
use crate::net::kernels::vocabulary::Vocabulary;
use crate::net::model::Network;
use crate::net::precision::{Precision, Way};

/// A network that computes fast whatever the vocabulary gains by, to be looked at beside the one in 32-bit floats, and
/// that one. What has to be known of its numbers is found on these positions.
///
/// # Errors
/// When the network takes inputs that are not written here, or fails on a position.
pub fn fast_and_plain(
    desc: &NetDesc,
    vocabulary: Vocabulary,
    positions: &[Position],
) -> Result<[NetworkEvaluator; 2], EvalError> {
    let asked = |network| NetworkEvaluator::new(network, Profile::default());
    let plain = asked(Network::speaking(desc, vocabulary))?;
    let fast = if vocabulary.has_tiles() {
        Network::tiled(desc, vocabulary)
    } else {
        Network::paired(desc, &plain.ranges(positions)?, vocabulary)?
    };
    Ok([asked(fast)?, plain])
}

/// The network of a description that has been checked, in the precision asked for, which `vocabulary` decides the way of.
#[must_use]
pub fn network(desc: &NetDesc, precision: Precision, vocabulary: Vocabulary) -> Network {
    match precision.way(vocabulary) {
        // There are no ranges yet for pairs, so no vocabulary decides for them.
        Way::F32 | Way::Pairs => Network::speaking(desc, vocabulary),
        Way::Tiles => Network::tiled(desc, vocabulary),
    }
}
