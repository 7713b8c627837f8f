//! The page: its files, which are inside the program.

/// A file of the page.
#[derive(Debug)]
pub struct File {
    /// Where it is asked for.
    pub path: &'static str,
    /// What kind of text it is.
    pub kind: &'static str,
    /// The text.
    pub text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

macro_rules! files {
    ($($path:literal $name:literal $kind:ident;)*) => {
        /// All files.
        pub static FILES: &[File] = &[$(File {
            path: $path,
            kind: $kind,
            text: include_str!(concat!("page/", $name)),
        },)*];
    };
}

files! {
    "/" "index.html" HTML;
    "/style.css" "style.css" STYLE;
    "/icon.svg" "icon.svg" PICTURE;
    "/main.js" "main.js" SCRIPT;
    "/begin.js" "begin.js" SCRIPT;
    "/course.js" "course.js" SCRIPT;
    "/show.js" "show.js" SCRIPT;
    "/state.js" "state.js" SCRIPT;
    "/socket.js" "socket.js" SCRIPT;
    "/storage.js" "storage.js" SCRIPT;
    "/game.js" "game.js" SCRIPT;
    "/sgf.js" "sgf.js" SCRIPT;
    "/charset.js" "charset.js" SCRIPT;
    "/board.js" "board.js" SCRIPT;
    "/graph.js" "graph.js" SCRIPT;
    "/clock.js" "clock.js" SCRIPT;
    "/panels.js" "panels.js" SCRIPT;
    "/dialogs.js" "dialogs.js" SCRIPT;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a text names in quotes that begins with a slash, or in `href` and `src`.
    fn named(file: &File) -> Vec<&str> {
        let quoted = file.text.split('"').skip(1).step_by(2);
        let names = quoted.filter(|text| text.starts_with('/') && text.len() > 1);
        names.filter(|text| text.contains('.')).collect()
    }

    #[test]
    fn files_name_only_files_that_are_there_and_nothing_of_other_hosts() {
        let mut all = 0;
        for file in FILES {
            for name in named(file) {
                assert!(
                    FILES.iter().any(|other| other.path == name),
                    "{}: {name}",
                    file.path
                );
                all += 1;
            }
            let elsewhere = [
                "https://",
                "//cdn",
                "innerHTML",
                "eval(",
                "onclick=",
                "style=",
            ];
            for word in elsewhere {
                assert!(!file.text.contains(word), "{}: {word}", file.path);
            }
        }
        assert!(all > FILES.len(), "{all}");
    }
}
