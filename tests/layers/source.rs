//! Enough reading of Rust to see what a file refers to: comments and literals are blanked out, the rest is cut into
//! words and signs, and paths from the crate's root are found among them.

/// A word or a sign, with its line counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub line: usize,
}

/// A path that starts at the crate's root: the top-level module it enters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub module: String,
    pub line: usize,
}

/// The source with every comment, string and character literal turned into spaces; line breaks stay.
pub fn code_only(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut code = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let end = literal_end(&chars, at);
        if end == at {
            code.push(chars[at]);
            at += 1;
        } else {
            let blank = |c: &char| if *c == '\n' { '\n' } else { ' ' };
            code.extend(chars[at..end].iter().map(blank));
            at = end;
        }
    }
    code
}

/// Where the comment or literal that starts here ends; `at` itself when none starts here.
fn literal_end(chars: &[char], at: usize) -> usize {
    let rest = &chars[at..];
    let starts = |text: &str| rest.iter().copied().take(text.len()).eq(text.chars());
    let in_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    if starts("//") {
        at + rest.iter().position(|&c| c == '\n').unwrap_or(rest.len())
    } else if starts("/*") {
        block_comment_end(chars, at)
    } else if rest[0] == '"' {
        quoted_end(chars, at + 1, '"')
    } else if !in_word && rest[0] == 'r' && raw_hashes(&rest[1..]).is_some() {
        raw_end(chars, at)
    } else if rest[0] == '\'' && (rest.get(1) == Some(&'\\') || rest.get(2) == Some(&'\'')) {
        quoted_end(chars, at + 1, '\'')
    } else {
        at
    }
}

fn block_comment_end(chars: &[char], start: usize) -> usize {
    let mut depth = 0;
    let mut at = start;
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => {
                depth += 1;
                at += 2;
            }
            ('*', Some('/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    at
}

fn quoted_end(chars: &[char], mut at: usize, quote: char) -> usize {
    while at < chars.len() && chars[at] != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// The number of `#` before the opening quote of a raw string, if it is one.
fn raw_hashes(after_r: &[char]) -> Option<usize> {
    let hashes = after_r.iter().take_while(|&&c| c == '#').count();
    (after_r.get(hashes) == Some(&'"')).then_some(hashes)
}

fn raw_end(chars: &[char], start: usize) -> usize {
    let hashes = raw_hashes(&chars[start + 1..]).unwrap_or(0);
    let mut at = start + hashes + 2;
    while at < chars.len() {
        let closing = chars[at + 1..].iter().take_while(|&&c| c == '#').count();
        if chars[at] == '"' && closing >= hashes {
            return at + 1 + hashes;
        }
        at += 1;
    }
    at
}

/// Words, `::`, and single other signs.
pub fn tokens(code: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let length = if is_word(first) {
                rest.find(|c| !is_word(c)).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            if !first.is_whitespace() {
                tokens.push(Token {
                    text: rest[..length].to_owned(),
                    line: number + 1,
                });
            }
            rest = &rest[length..];
        }
    }
    tokens
}

/// All paths that reach a top-level module of the crate: `crate::a`, and `super::super::a` from deep enough. `path` is
/// the file's own module path, such as `["search", "tree"]`.
pub fn references(tokens: &[Token], path: &[&str]) -> Vec<Reference> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut found = Vec::new();
    // The braces around this place: whether each opened an inline module.
    let mut braces: Vec<bool> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match text(at) {
            "{" => braces.push(at >= 2 && text(at - 2) == "mod"),
            "}" => drop(braces.pop()),
            "crate" | "honinbo" if text(at + 1) == "::" => enter(tokens, at + 2, &mut found),
            "super" if at == 0 || text(at - 1) != "::" => {
                let inline = braces.iter().filter(|&&module| module).count();
                let mut supers = 0;
                while text(at) == "super" && text(at + 1) == "::" {
                    supers += 1;
                    at += 2;
                }
                if supers > 0 {
                    if supers == path.len() + inline {
                        enter(tokens, at, &mut found);
                    }
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Adds the first segments of the path, or of each path of a braced group, that goes on at `at`.
fn enter(tokens: &[Token], at: usize, found: &mut Vec<Reference>) {
    let Some(first) = tokens.get(at) else { return };
    if first.text != "{" {
        found.push(Reference {
            module: first.text.clone(),
            line: first.line,
        });
        return;
    }
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        let opens = index == at || (depth == 1 && token.text == ",");
        if depth == 0 {
            return;
        }
        if let (true, Some(next)) = (opens, tokens.get(index + 1))
            && next.text != "}"
        {
            found.push(Reference {
                module: next.text.clone(),
                line: next.line,
            });
        }
    }
}
