//! This program's folders below the user's home.

use std::env;
use std::path::PathBuf;

/// Returns the folder for saved games: `honinbo` in `$XDG_DATA_HOME` if this variable is set (on any system), otherwise
/// in the system's usual data folder. Returns `None` if there is no such folder.
pub fn data() -> Option<PathBuf> {
    program_folder("XDG_DATA_HOME", dirs::data_dir)
}

/// Returns the folder for data that can be computed again: `honinbo` in `$XDG_CACHE_HOME` if this variable is set (on
/// any system), otherwise in the system's usual cache folder. Returns `None` if there is no such folder.
pub fn cache() -> Option<PathBuf> {
    program_folder("XDG_CACHE_HOME", dirs::cache_dir)
}

/// Returns `honinbo` in the folder that an environment variable names, or in the `usual` one. Relative paths in the
/// variable are ignored, as the XDG specification requires.
fn program_folder(variable: &str, usual: fn() -> Option<PathBuf>) -> Option<PathBuf> {
    let named = env::var_os(variable).map(PathBuf::from);
    let folder = named.filter(|folder| folder.is_absolute()).or_else(usual);
    Some(folder?.join("honinbo"))
}
