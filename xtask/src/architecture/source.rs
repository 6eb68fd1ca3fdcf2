//! What one file refers to: modules of its crate, files and clocks of the standard library.

use proc_macro2::Delimiter;

use super::tokens::{Kind, Token, begins_as_test, test_end};

/// A path that the file names, as it is from the root of the crate.
pub struct Reference {
    /// `["filter", "Sos"]` for `crate::filter::Sos`.
    pub path: Vec<String>,
    /// Module that names it.
    pub from: Vec<String>,
    /// Line, counted from 1.
    pub line: usize,
}

/// Everything that counts of a file, outside of what only tests see.
#[derive(Default)]
pub struct Source {
    /// Paths of the crate.
    pub references: Vec<Reference>,
    /// Paths of the standard library, without their `std`.
    pub standard: Vec<(Vec<String>, usize)>,
    /// What the root hands on: the name, and the path it stands for.
    pub exports: Vec<(String, Vec<String>)>,
    /// Modules in files of their own.
    pub modules: Vec<Vec<String>>,
    /// Modules within the file.
    pub inline: Vec<Vec<String>>,
    /// Macros by example that are defined here.
    pub macros: Vec<String>,
    /// Macros that are called, and from which module.
    pub calls: Vec<Reference>,
    /// Lines that only tests see, first and last.
    pub tests: Vec<(usize, usize)>,
    /// The whole file is for tests.
    pub is_test: bool,
}

/// Reads the tokens of the file of `module`.
pub fn read(tokens: &[Token], module: &[String]) -> Source {
    let mut source = Source {
        is_test: begins_as_test(tokens),
        ..Source::default()
    };
    if !source.is_test {
        source.walk(tokens, module);
    }
    source
}

/// One path of a `use`, and the name it gets.
struct Imported {
    path: Vec<String>,
    name: Option<String>,
    line: usize,
}

impl Source {
    fn walk(&mut self, tokens: &[Token], module: &[String]) {
        let mut at = 0;
        while at < tokens.len() {
            if let Some(end) = test_end(tokens, at) {
                self.tests.push((tokens[at].line, tokens[end - 1].last));
                at = end;
                continue;
            }
            let next = tokens.get(at + 1);
            match &tokens[at].kind {
                Kind::Word(word) if word == "mod" => {
                    at = self.module(tokens, at, module);
                    continue;
                }
                Kind::Word(word) if word == "use" && !next.is_some_and(|mark| mark.is('<')) => {
                    let end = (at..tokens.len()).find(|&i| tokens[i].is(';'));
                    let end = end.unwrap_or(tokens.len());
                    self.import(&tokens[at + 1..end], module);
                    at = end;
                    continue;
                }
                Kind::Word(word) if word == "macro_rules" => {
                    if let Some(name) = tokens.get(at + 2).and_then(Token::word) {
                        self.macros.push(name.to_string());
                    }
                }
                // `a != b` calls nothing.
                Kind::Word(word)
                    if next.is_some_and(|mark| mark.is('!'))
                        && matches!(
                            tokens.get(at + 2),
                            Some(Token {
                                kind: Kind::Group(..),
                                ..
                            })
                        ) =>
                {
                    self.calls.push(Reference {
                        path: vec![word.clone()],
                        from: module.to_vec(),
                        line: tokens[at].line,
                    });
                }
                Kind::Word(_) if matches!(next.map(|next| &next.kind), Some(Kind::Path)) => {
                    let (path, end) = path_at(tokens, at);
                    self.name(&path, module, tokens[at].line);
                    at = end;
                    continue;
                }
                Kind::Group(_, inside) => self.walk(inside, module),
                _ => {}
            }
            at += 1;
        }
    }

    /// A declaration of a module: its body or its file; the place after it.
    fn module(&mut self, tokens: &[Token], at: usize, module: &[String]) -> usize {
        let Some(name) = tokens.get(at + 1).and_then(Token::word) else {
            return at + 1;
        };
        let path: Vec<String> = [module, &[name.to_string()]].concat();
        match tokens.get(at + 2) {
            Some(end) if end.is(';') => self.modules.push(path),
            Some(body) if body.group(Delimiter::Brace).is_some() => {
                self.walk(body.inside(), &path);
                self.inline.push(path);
            }
            _ => return at + 1,
        }
        at + 3
    }

    fn import(&mut self, tokens: &[Token], module: &[String]) {
        let mut found = Vec::new();
        tree(tokens, &[], &mut found);
        for imported in found {
            let Imported { path, name, line } = imported;
            if module.is_empty() {
                let own = !matches!(path[0].as_str(), "crate" | "self");
                let path = path[usize::from(!own)..].to_vec();
                if let Some(name) = name {
                    self.exports.push((name, path));
                }
            }
            self.name(&path, module, line);
        }
    }

    /// Keeps a path that is written in `module`.
    fn name(&mut self, path: &[String], module: &[String], line: usize) {
        let mut rest = path;
        let mut base = module;
        match rest.first().map(String::as_str) {
            Some("std") => {
                self.standard.push((rest[1..].to_vec(), line));
                return;
            }
            Some("crate") => {
                base = &[];
                rest = &rest[1..];
            }
            Some("self") => rest = &rest[1..],
            Some("super") => {}
            _ => return,
        }
        while rest.first().is_some_and(|word| word == "super") {
            base = &base[..base.len().saturating_sub(1)];
            rest = &rest[1..];
        }
        self.references.push(Reference {
            path: [base, rest].concat(),
            from: module.to_vec(),
            line,
        });
    }
}

/// The path that begins at `at`, and the place after it.
fn path_at(tokens: &[Token], at: usize) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    let mut at = at;
    while let Some(word) = tokens.get(at).and_then(Token::word) {
        path.push(word.to_string());
        at += 1;
        if !matches!(tokens.get(at).map(|token| &token.kind), Some(Kind::Path)) {
            break;
        }
        at += 1;
    }
    (path, at)
}

/// Paths of the tree of a `use`, below `prefix`.
fn tree(tokens: &[Token], prefix: &[String], found: &mut Vec<Imported>) {
    for branch in tokens.split(|token| token.is(',')) {
        let branch = match branch {
            [first, rest @ ..] if matches!(first.kind, Kind::Path) => rest,
            _ => branch,
        };
        let Some(first) = branch.first() else {
            continue;
        };
        let (mut path, end) = path_at(branch, 0);
        if path.last().is_some_and(|word| word == "self") && path.len() + prefix.len() > 1 {
            path.pop();
        }
        let path = [prefix, &path].concat();
        match branch.get(end) {
            Some(group) if group.group(Delimiter::Brace).is_some() => {
                tree(group.inside(), &path, found);
            }
            Some(star) if star.is('*') => found.push(Imported {
                path,
                name: None,
                line: first.line,
            }),
            Some(_) => {
                // `as name`
                let name = branch.last().and_then(Token::word).map(str::to_string);
                found.push(Imported {
                    path,
                    name,
                    line: first.line,
                });
            }
            None => found.push(Imported {
                name: path.last().cloned(),
                path,
                line: first.line,
            }),
        }
    }
}
