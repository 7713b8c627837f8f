//! The files of the web page, embedded in the program.

/// A file of the web page.
#[derive(Debug)]
pub struct File {
    /// URL path, starting with a slash.
    pub path: &'static str,
    /// Value of the `Content-Type` header.
    pub content_type: &'static str,
    pub text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! files {
    ($($path:literal $name:literal $kind:ident;)*) => {
        /// All files of the page.
        pub static FILES: &[File] = &[$(File {
            path: $path,
            content_type: $kind,
            text: include_str!(concat!("page/", $name)),
        },)*];
    };
}

files! {
    "/" "index.html" HTML;
    "/style.css" "style.css" CSS;
    "/icon.svg" "icon.svg" SVG;
    "/main.js" "main.js" JAVASCRIPT;
    "/begin.js" "begin.js" JAVASCRIPT;
    "/course.js" "course.js" JAVASCRIPT;
    "/show.js" "show.js" JAVASCRIPT;
    "/state.js" "state.js" JAVASCRIPT;
    "/socket.js" "socket.js" JAVASCRIPT;
    "/storage.js" "storage.js" JAVASCRIPT;
    "/game.js" "game.js" JAVASCRIPT;
    "/sgf.js" "sgf.js" JAVASCRIPT;
    "/charset.js" "charset.js" JAVASCRIPT;
    "/board.js" "board.js" JAVASCRIPT;
    "/graph.js" "graph.js" JAVASCRIPT;
    "/clock.js" "clock.js" JAVASCRIPT;
    "/panels.js" "panels.js" JAVASCRIPT;
    "/dialogs.js" "dialogs.js" JAVASCRIPT;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the quoted file names in a file.
    fn referenced_paths(file: &File) -> Vec<&str> {
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
                    FILES.iter().any(|other| other.path == name),
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
