//! Parsing of Rust source: tokens without comments and literals, and the paths that a file mentions.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// An identifier, keyword, `::`, or a single other punctuation character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    /// Line number, counted from 1.
    pub line: usize,
    pub is_identifier: bool,
}

/// A path in the source, such as `crate::game::point::Point`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Segments from the root of the crate. A path without `crate`, `super` or `self` is assumed to start in the module
    /// that contains it.
    pub segments: Vec<String>,
    pub line: usize,
    /// Whether the path occurs in an item with `#[cfg(test)]`.
    pub is_test: bool,
    /// Whether the path is re-exported by `pub use`.
    pub is_reexport: bool,
}

/// A parsed file.
pub struct SourceFile {
    /// Path from the root of the package, with `/` on all platforms.
    pub file: String,
    pub text: String,
    /// All tokens except literals. Brackets are tokens.
    pub tokens: Vec<Token>,
    pub paths: Vec<Path>,
    /// Names of modules declared with `#[cfg(test)] mod name;`.
    pub test_modules: Vec<String>,
}

impl SourceFile {
    pub fn parse(file: &str, text: String) -> Self {
        let stream: TokenStream = (text.parse()).unwrap_or_else(|error| panic!("{file}: {error}"));
        let mut source = Self {
            file: file.to_owned(),
            text,
            tokens: tokens(stream.clone()),
            paths: Vec::new(),
            test_modules: Vec::new(),
        };
        let module = source.module().into_iter().map(str::to_owned).collect();
        let mut collector = Collector {
            module,
            found: &mut source,
        };
        collector.visit(stream, false);
        source
    }

    /// Returns the path from `src`, if the file is there.
    pub fn inside(&self) -> Option<&str> {
        self.file.strip_prefix("src/")
    }

    /// Returns the module path of a file of `src`. The roots of the crates are treated as modules `lib` and `main`.
    pub fn module(&self) -> Vec<&str> {
        let inside = self.inside().unwrap_or(&self.file);
        let mut path: Vec<&str> = inside.trim_end_matches(".rs").split('/').collect();
        if path.last() == Some(&"mod") {
            path.pop();
        }
        path
    }
}

fn tokens(stream: TokenStream) -> Vec<Token> {
    let mut tokens = Vec::new();
    flatten(stream, &mut tokens);
    tokens
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut index = 0;
    while index < trees.len() {
        let tree = &trees[index];
        let mut push = |text: &str, line: usize, is_identifier: bool| {
            tokens.push(Token {
                text: text.to_owned(),
                line,
                is_identifier,
            });
        };
        let line = tree.span().start().line;
        match tree {
            TokenTree::Ident(ident) => push(&ident.to_string(), line, true),
            TokenTree::Punct(_) if is_path_separator(&trees, index) => {
                push("::", line, false);
                index += 1;
            }
            TokenTree::Punct(punct) => push(&punct.to_string(), line, false),
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                push(open, line, false);
                flatten(group.stream(), tokens);
                tokens.push(Token {
                    text: close.to_owned(),
                    line: group.span_close().start().line,
                    is_identifier: false,
                });
            }
            TokenTree::Literal(_) => {}
        }
        index += 1;
    }
}

/// Collects the paths and module declarations of a file.
struct Collector<'a> {
    /// Current module, including inline modules.
    module: Vec<String>,
    found: &'a mut SourceFile,
}

impl Collector<'_> {
    fn visit(&mut self, stream: TokenStream, is_test: bool) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        // The current item has the attribute `#[cfg(test)]`.
        let mut is_test_item = false;
        let mut index = 0;
        while index < trees.len() {
            let is_test_here = is_test || is_test_item;
            match &trees[index] {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    is_test_item |= matches!(
                        trees.get(index + 1),
                        Some(TokenTree::Group(group)) if is_cfg_test(group.stream())
                    );
                }
                TokenTree::Punct(punct) if punct.as_char() == ';' => is_test_item = false,
                TokenTree::Ident(keyword) if keyword == "mod" => {
                    if let Some(TokenTree::Ident(name)) = trees.get(index + 1) {
                        match trees.get(index + 2) {
                            Some(TokenTree::Group(body)) => {
                                self.module.push(name.to_string());
                                self.visit(body.stream(), is_test_here);
                                self.module.pop();
                                is_test_item = false;
                            }
                            _ if is_test_here => self.found.test_modules.push(name.to_string()),
                            _ => {}
                        }
                        index += 2;
                    }
                }
                // `use<…>` in a type is not an import.
                TokenTree::Ident(keyword)
                    if keyword == "use" && !is_punct(trees.get(index + 1), '<') =>
                {
                    let is_end = |tree: &TokenTree| matches!(tree, TokenTree::Punct(p) if p.as_char() == ';');
                    let len = trees[index..].iter().position(is_end);
                    let end = len.map_or(trees.len(), |len| index + len);
                    let is_reexport = is_public(&trees[..index]);
                    self.visit_use(&trees[index + 1..end], &[], is_test_here, is_reexport);
                    is_test_item = false;
                    index = end;
                }
                TokenTree::Ident(_)
                    if is_path_separator(&trees, index + 1)
                        && !(index >= 2 && is_path_separator(&trees, index - 2)) =>
                {
                    let (segments, len) = leading_segments(&trees[index..]);
                    let line = trees[index].span().start().line;
                    self.add(segments, line, is_test_here, false);
                    index += len - 1;
                }
                TokenTree::Group(group) => {
                    self.visit(group.stream(), is_test_here);
                    is_test_item &= group.delimiter() != Delimiter::Brace;
                }
                _ => {}
            }
            index += 1;
        }
    }

    /// Visits one branch of a `use` tree.
    fn visit_use(
        &mut self,
        trees: &[TokenTree],
        prefix: &[String],
        is_test: bool,
        is_reexport: bool,
    ) {
        let Some(first) = trees.first() else { return };
        let (segments, len) = leading_segments(trees);
        let line = first.span().start().line;
        let mut path = prefix.to_vec();
        path.extend(
            (segments.into_iter()).filter(|segment| prefix.is_empty() || segment != "self"),
        );
        let group = trees[len..].iter().find_map(|tree| match tree {
            TokenTree::Group(group) => Some(group.stream()),
            _ => None,
        });
        let Some(group) = group else {
            self.add(path, line, is_test, is_reexport);
            return;
        };
        let branches: Vec<TokenTree> = group.into_iter().collect();
        let is_comma = |tree: &TokenTree| matches!(tree, TokenTree::Punct(p) if p.as_char() == ',');
        for branch in branches.split(is_comma) {
            self.visit_use(branch, &path, is_test, is_reexport);
        }
    }

    /// Resolves `crate`, `super` and `self`, and stores the path.
    fn add(&mut self, segments: Vec<String>, line: usize, is_test: bool, is_reexport: bool) {
        let mut segments = segments.as_slice();
        let mut base: &[String] = &self.module;
        match segments.first().map(String::as_str) {
            Some("crate" | "honinbo") => {
                base = &[];
                segments = &segments[1..];
            }
            Some("self") => segments = &segments[1..],
            _ => {}
        }
        while segments.first().is_some_and(|segment| segment == "super") {
            let Some((_, parent)) = base.split_last() else {
                return;
            };
            base = parent;
            segments = &segments[1..];
        }
        self.found.paths.push(Path {
            segments: [base, segments].concat(),
            line,
            is_test,
            is_reexport,
        });
    }
}

fn is_punct(tree: Option<&TokenTree>, character: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

fn is_path_separator(trees: &[TokenTree], index: usize) -> bool {
    let colon = |index: usize| match trees.get(index) {
        Some(TokenTree::Punct(punct)) if punct.as_char() == ':' => Some(punct.spacing()),
        _ => None,
    };
    colon(index) == Some(Spacing::Joint) && colon(index + 1).is_some()
}

/// Returns the identifiers joined by `::` at the start, and the number of trees up to the last of them.
fn leading_segments(trees: &[TokenTree]) -> (Vec<String>, usize) {
    let mut segments = Vec::new();
    let mut index = 0;
    while let Some(TokenTree::Ident(ident)) = trees.get(index) {
        segments.push(ident.to_string());
        if !(is_path_separator(trees, index + 1)
            && matches!(trees.get(index + 3), Some(TokenTree::Ident(_))))
        {
            return (segments, index + 1);
        }
        index += 3;
    }
    (segments, index)
}

/// Returns true if `before`, the trees preceding an item's keyword, ends with a visibility modifier.
fn is_public(before: &[TokenTree]) -> bool {
    let is_pub = |tree: Option<&TokenTree>| matches!(tree, Some(TokenTree::Ident(i)) if i == "pub");
    match before {
        [rest @ .., TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => {
            is_pub(rest.last())
        }
        _ => is_pub(before.last()),
    }
}

/// Returns true for the content of `#[cfg(test)]` and `#[cfg(all(test, …))]`.
fn is_cfg_test(attribute: TokenStream) -> bool {
    let tokens = tokens(attribute);
    let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    match texts.as_slice() {
        ["cfg", "(", "all", rest @ ..] => rest.contains(&"test") && !rest.contains(&"not"),
        texts => texts == ["cfg", "(", "test", ")"],
    }
}
