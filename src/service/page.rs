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
    pub content: &'static [u8],
}

const PNG_TYPE: &str = "image/png";
const JAVASCRIPT_TYPE: &str = "text/javascript; charset=utf-8";

/// URL path of the service worker.
pub const WORKER_PATH: &str = "/worker.js";
/// Value of the `Content-Type` header of the service worker.
pub const WORKER_TYPE: &str = JAVASCRIPT_TYPE;

macro_rules! files {
    ($($name:literal;)*) => {
        /// All files of the page.
        pub static FILES: &[PageFile] = &[
            PageFile {
                path: "/",
                content_type: content_type("index.html"),
                content: include_bytes!("page/index.html"),
            },
            $(PageFile {
                path: concat!("/", $name),
                content_type: content_type($name),
                content: include_bytes!(concat!("page/", $name)),
            },)*
        ];
    };
}

/// Returns the content type of a file by the end of its name.
const fn content_type(name: &str) -> &'static str {
    match name.as_bytes() {
        [.., b'h', b't', b'm', b'l'] => "text/html; charset=utf-8",
        [.., b'.', b'c', b's', b's'] => "text/css; charset=utf-8",
        [.., b'.', b's', b'v', b'g'] => "image/svg+xml",
        [.., b'.', b'p', b'n', b'g'] => PNG_TYPE,
        [.., b'i', b'f', b'e', b's', b't'] => "application/manifest+json",
        _ => JAVASCRIPT_TYPE,
    }
}

// The PNG icons are drawn from `icon.svg` with `rsvg-convert -w 192 -h 192` and reduced to 64 colours. iOS rounds the
// corners of icons by itself, so the icon of 180 pixels has the option `-b '#dcb35c'`.
files! {
    "icon.svg";
    "icon-180.png";
    "icon-192.png";
    "icon-512.png";
    "manifest.webmanifest";
    "main.js";
    "modules.js";
    "board/board.js";
    "board/candidates.js";
    "board/layers.js";
    "board/marks.js";
    "board/markup.js";
    "board/settings.js";
    "board/sources.js";
    "board/stones.js";
    "board/thumbnail.js";
    "board/view.js";
    "core/actions.js";
    "core/dom.js";
    "core/icons.js";
    "core/input.js";
    "core/message.js";
    "core/settings.js";
    "core/storage.js";
    "core/store.js";
    "core/undo.js";
    "dialogs/collection.js";
    "dialogs/dialog.js";
    "dialogs/game_info.js";
    "dialogs/games.js";
    "dialogs/games_lost.js";
    "dialogs/games_rows.js";
    "dialogs/install.js";
    "dialogs/new_game.js";
    "dialogs/paste.js";
    "dialogs/settings.js";
    "dialogs/share.js";
    "dialogs/shortcuts.js";
    "dialogs/token.js";
    "game/actions.js";
    "game/annotations.js";
    "game/answers.js";
    "game/autosave.js";
    "game/begin.js";
    "game/candidates.js";
    "game/clock.js";
    "game/collection.js";
    "game/edit.js";
    "game/file.js";
    "game/files.js";
    "game/fingerprint.js";
    "game/game_list.js";
    "game/geometry.js";
    "game/guess.js";
    "game/layout.js";
    "game/library.js";
    "game/loss.js";
    "game/marks.js";
    "game/navigation.js";
    "game/play.js";
    "game/positions.js";
    "game/problem.js";
    "game/record.js";
    "game/review.js";
    "game/review_data.js";
    "game/rules.js";
    "game/sgf.js";
    "game/sgf_reader.js";
    "game/share.js";
    "game/slots.js";
    "game/solved.js";
    "game/starter_problems.js";
    "game/state.js";
    "game/tabs.js";
    "game/take_back.js";
    "game/tree.js";
    "game/tree_edits.js";
    "game/usual_rules.js";
    "panels/analysis.js";
    "panels/annotation.js";
    "panels/comment.js";
    "panels/edit_tools.js";
    "panels/exercise.js";
    "panels/game_tools.js";
    "panels/gestures.js";
    "panels/graph.js";
    "panels/guess.js";
    "panels/message.js";
    "panels/mistakes.js";
    "panels/moment.js";
    "panels/panel.js";
    "panels/players.js";
    "panels/practice.js";
    "panels/problem.js";
    "panels/report.js";
    "panels/result.js";
    "panels/review.js";
    "panels/slider.js";
    "panels/toast.js";
    "panels/toolbar.js";
    "panels/transfer.js";
    "panels/tree.js";
    "panels/variations.js";
    "service/service.js";
    "service/socket.js";
    "sound/sound.js";
    "styles/analysis.css";
    "styles/base.css";
    "styles/board.css";
    "styles/dialogs.css";
    "styles/layout.css";
    "styles/library.css";
    "styles/panels.css";
    "styles/tree.css";
    "texts/en.js";
    "texts/errors.js";
    "texts/format.js";
    "texts/ja.js";
    "texts/ko.js";
    "texts/texts.js";
    "texts/zh-Hans.js";
    "texts/zh-Hant.js";
}

/// Returns the service worker, which caches the files of the page for offline use. A browser replaces it when its text
/// changes, so the text contains a hash of the files.
pub fn worker_text() -> String {
    let mut hasher = StableHasher::default();
    for file in FILES {
        hasher.write(file.path.as_bytes());
        hasher.write(file.content);
    }
    let version = json!(format!("{:016x}", hasher.finish()));
    let paths = json!(FILES.iter().map(|file| file.path).collect::<Vec<_>>());
    let worker = include_str!("page/worker.js");
    format!("const VERSION = {version};\nconst FILES = {paths};\n{worker}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the file paths that occur in quotes in a file.
    fn referenced_paths(content: &str) -> Vec<&str> {
        let quoted = content.split('"').skip(1).step_by(2);
        let names = quoted.filter(|text| text.starts_with('/') && text.len() > 1);
        names.filter(|text| text.contains('.')).collect()
    }

    #[test]
    fn page_references_only_own_files() {
        let mut count = 0;
        for file in FILES.iter().filter(|file| file.content_type != PNG_TYPE) {
            let content = std::str::from_utf8(file.content).unwrap();
            for name in referenced_paths(content) {
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
                assert!(!content.contains(text), "{}: {text}", file.path);
            }
        }
        assert!(count > FILES.len(), "{count}");
    }
}
