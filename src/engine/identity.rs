//! Identification of the engine to clients.

/// Name, version and network of the engine, as reported to clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub name: String,
    pub version: String,
    /// Name of the network.
    pub model: String,
    /// True for KataGo's human-style networks, which imitate a player profile such as `rank_5k`.
    pub takes_profile: bool,
}

impl Default for Identity {
    fn default() -> Self {
        Self {
            name: "Honinbo".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            model: "default".to_owned(),
            takes_profile: false,
        }
    }
}
