//! Per-user folders of this program for data and caches.

use std::env;
use std::path::PathBuf;

/// Returns the folder for saved games, which may not exist yet: `honinbo` in `$XDG_DATA_HOME` or, unless this variable
/// contains an absolute path, in the system's usual data folder. The variable is read on all systems. Returns `None` if
/// neither the variable nor the system specifies a folder.
pub fn data() -> Option<PathBuf> {
    program_folder("XDG_DATA_HOME", dirs::data_dir)
}

/// Returns the folder for data that can be recomputed, which may not exist yet: `honinbo` in `$XDG_CACHE_HOME` or,
/// unless this variable contains an absolute path, in the system's usual cache folder. The variable is read on all
/// systems. Returns `None` if neither the variable nor the system specifies a folder.
pub fn cache() -> Option<PathBuf> {
    program_folder("XDG_CACHE_HOME", dirs::cache_dir)
}

/// Returns `honinbo` in the folder named by an environment variable or, if the variable is not set, in the `usual`
/// folder. A relative path in the variable is ignored, as the XDG specification requires.
fn program_folder(variable: &str, usual: fn() -> Option<PathBuf>) -> Option<PathBuf> {
    let named = env::var_os(variable).map(PathBuf::from);
    let folder = named.filter(|folder| folder.is_absolute()).or_else(usual);
    Some(folder?.join("honinbo"))
}
