//! The files of the web page, embedded in the program, and its service worker.

use std::hash::Hasher;

use serde_json::json;

use crate::random::stable_hash::StableHasher;

/// A file of the web page.
#[derive(Debug)]
pub struct PageFile {
    /// URL path, starting with a slash.
    pub path: &'static str,
    /// Value of the `Content-Type` header.
    pub content_type: &'static str,
    pub text: &'static str,
}

const HTML_TYPE: &str = "text/html; charset=utf-8";
const CSS_TYPE: &str = "text/css; charset=utf-8";
const JAVASCRIPT_TYPE: &str = "text/javascript; charset=utf-8";
const SVG_TYPE: &str = "image/svg+xml";
const MANIFEST_TYPE: &str = "application/manifest+json";

/// URL path of the service worker.
pub const WORKER_PATH: &str = "/worker.js";
/// Value of the `Content-Type` header of the service worker.
pub const WORKER_TYPE: &str = JAVASCRIPT_TYPE;

macro_rules! files {
    ($($path:literal $name:literal $type:ident;)*) => {
        /// All files of the page.
        pub static FILES: &[PageFile] = &[$(PageFile {
            path: $path,
            content_type: $type,
            text: include_str!(concat!("page/", $name)),
        },)*];
    };
}

files! {
    "/" "index.html" HTML_TYPE;
    "/style.css" "style.css" CSS_TYPE;
    "/icon.svg" "icon.svg" SVG_TYPE;
    "/manifest.webmanifest" "manifest.webmanifest" MANIFEST_TYPE;
    "/main.js" "main.js" JAVASCRIPT_TYPE;
    "/begin.js" "begin.js" JAVASCRIPT_TYPE;
    "/course.js" "course.js" JAVASCRIPT_TYPE;
    "/show.js" "show.js" JAVASCRIPT_TYPE;
    "/state.js" "state.js" JAVASCRIPT_TYPE;
    "/socket.js" "socket.js" JAVASCRIPT_TYPE;
    "/storage.js" "storage.js" JAVASCRIPT_TYPE;
    "/game.js" "game.js" JAVASCRIPT_TYPE;
    "/sgf.js" "sgf.js" JAVASCRIPT_TYPE;
    "/file.js" "file.js" JAVASCRIPT_TYPE;
    "/board.js" "board.js" JAVASCRIPT_TYPE;
    "/graph.js" "graph.js" JAVASCRIPT_TYPE;
    "/clock.js" "clock.js" JAVASCRIPT_TYPE;
    "/panels.js" "panels.js" JAVASCRIPT_TYPE;
    "/dialogs.js" "dialogs.js" JAVASCRIPT_TYPE;
}

/// Returns the service worker, which keeps the files of the page for use without a connection. A browser replaces it
/// when its text changes, so the text contains a hash of the files.
pub fn worker_text() -> String {
    let mut hasher = StableHasher::default();
    for file in FILES {
        hasher.write(file.path.as_bytes());
        hasher.write(file.text.as_bytes());
    }
    let version = json!(format!("{:016x}", hasher.finish()));
    let paths = json!(FILES.iter().map(|file| file.path).collect::<Vec<_>>());
    let worker = include_str!("page/worker.js");
    format!("const VERSION = {version};\nconst FILES = {paths};\n{worker}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the file paths that occur in quotes in `file`.
    fn referenced_paths(file: &PageFile) -> Vec<&str> {
        let quoted = file.text.split('"').skip(1).step_by(2);
        let names = quoted.filter(|text| text.starts_with('/') && text.len() > 1);
        names.filter(|text| text.contains('.')).collect()
    }

    #[test]
    fn page_references_only_own_files() {
        let mut count = 0;
        for file in FILES {
            for name in referenced_paths(file) {
                assert!(
                    name == WORKER_PATH || FILES.iter().any(|other| other.path == name),
                    "{}: {name}",
                    file.path
                );
                count += 1;
            }
            let forbidden = [
                "https://",
                "//cdn",
                "innerHTML",
                "eval(",
                "onclick=",
                "style=",
            ];
            for text in forbidden {
                assert!(!file.text.contains(text), "{}: {text}", file.path);
            }
        }
        assert!(count > FILES.len(), "{count}");
    }
}
