//! Selection of a network by the user: an embedded network or a file.

use std::path::PathBuf;
use std::sync::Arc;

use super::EvalError;
use super::calibration::observer::CalibrationObserver;
use super::device::DeviceConfig;
use super::embedded;
use super::network::{LoadedNetwork, NetworkEvaluator};
use crate::encode::katago::player_profile::Profile;
use crate::net::error::NetError;
use crate::net::formats;
use crate::net::spec::NetSpec;

/// Name that selects the embedded classic network. A file of this name needs a path such as `./classic`.
const CLASSIC_NAME: &str = "classic";

/// An embedded network or a network file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NetworkSource {
    /// The embedded default network.
    #[default]
    Default,
    /// The embedded classic network.
    Classic,
    /// A network file of any supported format.
    File(PathBuf),
}

impl From<PathBuf> for NetworkSource {
    fn from(path: PathBuf) -> Self {
        // A comparison of paths would ignore a separator at the end.
        match path.as_os_str() == CLASSIC_NAME {
            true => Self::Classic,
            false => Self::File(path),
        }
    }
}

impl NetworkSource {
    /// Returns the name of the embedded network, or the file name without its folder.
    pub fn name(&self) -> String {
        match self {
            Self::Default => "default".to_owned(),
            Self::Classic => CLASSIC_NAME.to_owned(),
            Self::File(path) => {
                let name = path.file_name().unwrap_or(path.as_os_str());
                name.to_string_lossy().into_owned()
            }
        }
    }

    /// Reads the description of the network.
    ///
    /// # Errors
    /// Returns an error if the file is not a supported network.
    pub fn read(&self) -> Result<NetSpec, NetError> {
        match self {
            Self::Default => embedded::spec(),
            Self::Classic => embedded::classic_spec(),
            Self::File(path) => formats::read(path),
        }
    }

    /// Loads the network without calibrating it.
    ///
    /// # Errors
    /// See [`read`](Self::read) and [`LoadedNetwork::from_spec`].
    pub fn load(
        &self,
        profile: Profile,
        device_config: DeviceConfig,
    ) -> Result<LoadedNetwork, EvalError> {
        LoadedNetwork::from_spec(self.read()?, profile, device_config)
    }

    /// Loads the network and calibrates it if necessary, using all threads of the current rayon pool. `profile` has no
    /// effect on the default network, which [`embedded::evaluator`] loads.
    ///
    /// # Errors
    /// See [`load`](Self::load).
    pub fn load_calibrated(
        &self,
        profile: Profile,
        device_config: DeviceConfig,
        observer: &dyn CalibrationObserver,
    ) -> Result<Arc<NetworkEvaluator>, EvalError> {
        if *self == Self::Default {
            return embedded::evaluator(device_config);
        }
        let loaded = self.load(profile, device_config)?;
        Ok(Arc::new(loaded.calibrated(observer)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bare_name_selects_classic_network() {
        let source = |path: &str| NetworkSource::from(PathBuf::from(path));
        assert_eq!(source("classic"), NetworkSource::Classic);
        for path in [
            "./classic",
            "classic/",
            "Classic",
            "classic.safetensors",
            "default",
        ] {
            assert_eq!(source(path), NetworkSource::File(path.into()), "{path}");
        }
    }

    #[test]
    fn file_name_omits_folder() {
        let name = |path: &str| NetworkSource::from(PathBuf::from(path)).name();
        assert_eq!(name("nets/small.bin.gz"), "small.bin.gz");
        assert_eq!(name("classic"), "classic");
        assert_eq!(NetworkSource::default().name(), "default");
    }
}
