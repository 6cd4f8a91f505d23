//! The arrows between modules: none points back (see the module map in `lib.rs`).
//!
//! Reads every source file, strips comments, and looks at each `crate::module` path; a path to a
//! module that the file's own module may not lean on is an error.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Each module with the modules that it may name besides itself. Test modules inside a file obey
/// the same rule.
const MAY_USE: &[(&str, &[&str])] = &[
    ("types", &[]),
    ("simd", &["types"]),
    ("rule", &["types"]),
    ("pattern", &["types", "rule"]),
    ("board", &["types", "rule", "pattern"]),
    ("foul", &["types", "rule", "pattern", "board"]),
    ("record", &["types", "rule", "board"]),
    ("movegen", &["types", "rule", "pattern", "board", "foul"]),
    ("eval", &["types", "rule", "pattern", "board", "simd"]),
    ("tt", &["types", "simd"]),
    ("history", &["types", "pattern", "board"]),
    ("clock", &["types"]),
    (
        "threat",
        &["types", "rule", "pattern", "board", "foul", "movegen"],
    ),
    ("search", SEARCH),
    ("engine", ENGINE),
    ("protocol", PROTOCOL),
    ("cli", CLI),
    ("lib", CLI),
    ("main", &["cli"]),
];

const SEARCH: &[&str] = &[
    "types", "rule", "pattern", "board", "foul", "movegen", "eval", "tt", "history", "clock",
    "threat",
];

const ENGINE: &[&str] = &[
    "types", "rule", "pattern", "board", "foul", "movegen", "eval", "tt", "history", "clock",
    "threat", "search",
];

const PROTOCOL: &[&str] = &[
    "types", "rule", "pattern", "board", "foul", "movegen", "eval", "tt", "history", "clock",
    "threat", "search", "engine",
];

const CLI: &[&str] = &[
    "types", "rule", "pattern", "board", "foul", "movegen", "eval", "simd", "tt", "history",
    "clock", "threat", "search", "engine", "protocol", "record",
];

/// The module that a source file belongs to: the first part of its path below `src`.
fn module_of(path: &Path) -> String {
    let first = path.iter().next().expect("a path below src");
    Path::new(first)
        .file_stem()
        .expect("a name")
        .to_string_lossy()
        .into_owned()
}

/// The text without line comments, so that links in documentation lean on nothing.
fn code_of(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The modules that `code` names: `crate::a::…` and `crate::{a::…, b}`; `quincunx::…` in the binary.
fn named_modules(code: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for root in ["crate::", "quincunx::"] {
        for (start, _) in code.match_indices(root) {
            let rest = &code[start + root.len()..];
            if let Some(group) = rest.strip_prefix('{') {
                let mut depth = 0;
                let mut name = String::new();
                for c in group.chars() {
                    match c {
                        '}' if depth == 0 => break,
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' if depth == 0 => modules.push(std::mem::take(&mut name)),
                        _ if depth == 0 => name.push(c),
                        _ => {}
                    }
                }
                modules.push(name);
            } else {
                modules.push(rest.to_owned());
            }
        }
    }
    modules
        .into_iter()
        .map(|path| {
            path.trim_start()
                .chars()
                .take_while(|&c| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit())
                .collect()
        })
        .filter(|name: &String| !name.is_empty())
        .collect()
}

/// The arrows of one file that point the wrong way, as texts.
fn backward_arrows(path: &Path, text: &str) -> Vec<String> {
    let module = module_of(path);
    let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == module) else {
        return vec![format!("{}: module {module} has no place", path.display())];
    };
    named_modules(&code_of(text))
        .into_iter()
        .filter(|name| *name != module && !allowed.contains(&name.as_str()))
        .map(|name| format!("{}: {module} leans on {name}", path.display()))
        .collect()
}

/// All source files below `dir`.
fn sources(dir: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(dir).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_arrow_points_back() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    assert!(files.len() > 15, "{} files", files.len());
    let mut arrows = 0;
    let mut wrong = Vec::new();
    let mut modules = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("UTF-8 source");
        let path = file.strip_prefix(&src).expect("below src");
        modules.insert(module_of(path));
        arrows += named_modules(&code_of(&text)).len();
        wrong.extend(backward_arrows(path, &text));
    }
    assert!(arrows > 15, "{arrows} arrows");
    for (module, _) in MAY_USE {
        assert!(modules.contains(*module), "{module} has no source");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The table itself has no circle: each module leans only on modules that stand before it.
#[test]
fn the_table_of_arrows_is_in_order() {
    for (i, (module, allowed)) in MAY_USE.iter().enumerate() {
        for name in *allowed {
            let place = MAY_USE.iter().position(|(other, _)| other == name);
            assert!(place.is_some_and(|place| place < i), "{module} {name}");
        }
    }
}

#[test]
fn planted_arrows_are_caught() {
    let caught = |path: &str, text: &str| backward_arrows(Path::new(path), text).len();
    assert_eq!(caught("board/mod.rs", "use crate::search::Searcher;"), 1);
    assert_eq!(
        caught("types/point.rs", "let r = crate::rule::RuleKind;"),
        1
    );
    assert_eq!(
        caught(
            "foul.rs",
            "use crate::{board::{Board, eval}, movegen, types};"
        ),
        1
    );
    assert_eq!(
        caught("engine/mod.rs", "use crate::{cli, protocol::Reply};"),
        2
    );
    assert_eq!(caught("surprise.rs", "fn f() {}"), 1);
    // And what is right is left alone.
    assert_eq!(
        caught("board/undo.rs", "use crate::{pattern::Threat, types};"),
        0
    );
    assert_eq!(
        caught(
            "board/mod.rs",
            "/// See [`crate::foul`].\nuse crate::board::X;"
        ),
        0
    );
}
