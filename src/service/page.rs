//! The files of the web page, embedded in the program.

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
