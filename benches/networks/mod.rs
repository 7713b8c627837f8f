//! Networks to be measured: the built-in network and, if the environment variable `HONINBO_GOLDEN` contains the path of
//! a folder, the networks (`*.gz`) in the subfolder `models/` of this folder.

use std::path::{Path, PathBuf};

/// File of the built-in network.
const BUILT_IN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/weights/default.safetensors");

/// Returns the files of the networks to be measured.
pub fn files() -> Vec<PathBuf> {
    let mut files = vec![PathBuf::from(BUILT_IN)];
    if let Some(folder) = std::env::var_os("HONINBO_GOLDEN") {
        let entries = Path::new(&folder).join("models").read_dir();
        let others = entries
            .expect("a folder models/ with networks")
            .map(|entry| entry.expect("a readable folder entry").path());
        files.extend(others.filter(|file| file.extension().is_some_and(|ending| ending == "gz")));
    }
    files
}
