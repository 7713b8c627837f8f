//! The networks that are measured: the one inside the program, and those in the folder `models/` of the folder that
//! `HONINBO_GOLDEN` names, if it names one.

use std::path::{Path, PathBuf};

/// The network inside the program, as a file.
const DEFAULT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/weights/default.safetensors");

/// The files to load.
pub fn files() -> Vec<PathBuf> {
    let mut files = vec![PathBuf::from(DEFAULT)];
    if let Some(folder) = std::env::var_os("HONINBO_GOLDEN") {
        let entries = Path::new(&folder).join("models").read_dir();
        let others = entries
            .expect("a folder of nets")
            .map(|entry| entry.expect("an entry").path());
        files.extend(others.filter(|file| file.extension().is_some_and(|ending| ending == "gz")));
    }
    files
}
