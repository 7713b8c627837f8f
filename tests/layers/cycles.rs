//! Import cycles between the files of `src`.
//!
//! A file imports another one if its production code contains a path into the other file's module. Declaring a child
//! module and re-exporting its items (`pub use`) does not count, but importing them does.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::source::SourceFile;

/// The imports of each file, with the line of the first one.
type Imports = BTreeMap<String, BTreeMap<String, usize>>;

/// Reports the import cycles between the files of `src`. Each reported cycle contains an import that no cycle reported
/// before it contains.
pub fn violations(sources: &[SourceFile]) -> Vec<String> {
    let mut graph = imports(sources);
    let mut found = Vec::new();
    let files: Vec<String> = graph.keys().cloned().collect();
    for file in &files {
        while let Some(cycle) = shortest_cycle(&graph, file) {
            let steps = cycle.windows(2).map(|step| {
                let line = graph[&step[0]][&step[1]];
                format!("{}:{line} imports {}", step[0], step[1])
            });
            let text = steps.collect::<Vec<_>>().join(", ");
            found.push(format!(
                "import cycle: {text}: move the shared items to another file"
            ));
            // The next search finds another cycle.
            let last = &cycle[cycle.len() - 2];
            graph.get_mut(last).map(|targets| targets.remove(file));
        }
    }
    found
}

fn shortest_cycle(graph: &Imports, file: &str) -> Option<Vec<String>> {
    let targets = graph.get(file)?.keys();
    let paths = targets.filter_map(|target| shortest_path(graph, target, file));
    let mut cycle = paths.min_by_key(Vec::len)?;
    cycle.insert(0, file.to_owned());
    Some(cycle)
}

/// Returns the files on a shortest path, including both ends.
fn shortest_path(graph: &Imports, from: &str, to: &str) -> Option<Vec<String>> {
    let mut previous: BTreeMap<&str, &str> = BTreeMap::new();
    let mut reached = BTreeSet::from([from]);
    let mut queue = VecDeque::from([from]);
    while let Some(file) = queue.pop_front() {
        if file == to {
            let mut path = vec![to.to_owned()];
            let mut current = to;
            while let Some(&file) = previous.get(current) {
                path.insert(0, file.to_owned());
                current = file;
            }
            return Some(path);
        }
        for target in graph.get(file).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(target) {
                previous.insert(target, file);
                queue.push_back(target);
            }
        }
    }
    None
}

fn imports(sources: &[SourceFile]) -> Imports {
    let sources = || sources.iter().filter(|source| source.inside().is_some());
    let files: BTreeMap<Vec<&str>, &String> = sources()
        .map(|source| (source.module(), &source.file))
        .collect();
    let test_modules: BTreeSet<Vec<&str>> = sources()
        .flat_map(|source| {
            let names = source.test_modules.iter();
            names.map(move |name| [source.module(), vec![name.as_str()]].concat())
        })
        .collect();
    let is_test_file =
        |module: &[&str]| (1..=module.len()).any(|len| test_modules.contains(&module[..len]));
    let mut imports = Imports::new();
    for source in sources() {
        let (file, module) = (&source.file, source.module());
        let targets = imports.entry(file.clone()).or_default();
        if is_test_file(&module) {
            continue;
        }
        for path in source.paths.iter().filter(|path| !path.is_test) {
            let segments: Vec<&str> = path.segments.iter().map(String::as_str).collect();
            let target = (1..=segments.len()).rev().find_map(|len| {
                let module = &segments[..len];
                Some((module, *files.get(module)?))
            });
            let Some((target_module, target)) = target else {
                continue;
            };
            let is_child_reexport = path.is_reexport && target_module.starts_with(&module);
            if target != file && !is_child_reexport {
                targets.entry(target.clone()).or_insert(path.line);
            }
        }
    }
    imports
}
