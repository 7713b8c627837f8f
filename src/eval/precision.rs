//! Networks from descriptions, in the precision that is asked for.

use crate::net::desc::NetDesc;
use crate::net::kernels::vocabulary::Vocabulary;
use crate::net::model::Network;
use crate::net::precision::{Precision, Way};

/// The network of a description that has been checked, in the precision asked for, which `vocabulary` decides the way of.
#[must_use]
pub fn network(desc: &NetDesc, precision: Precision, vocabulary: Vocabulary) -> Network {
    match precision.way(vocabulary) {
        Way::F32 => Network::speaking(desc, vocabulary),
        Way::Tiles => Network::tiled(desc, vocabulary),
    }
}
