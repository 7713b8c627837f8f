//! Transcripts: what is sent and, word for word, what must be answered.

use std::fs;
use std::path::{Path, PathBuf};

use super::converse;

fn transcripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("gtp-tests");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder of transcripts")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "gtp"))
        .collect();
    files.sort();
    files
}

#[test]
fn transcripts_are_answered_word_for_word() {
    let files = transcripts();
    assert!(files.len() >= 6, "found {} transcripts", files.len());
    let write = std::env::var_os("GTP_TESTS_WRITE").is_some();
    for file in files {
        let answers = converse(&fs::read(&file).expect("a transcript"));
        let expected = file.with_extension("out");
        if write {
            fs::write(&expected, &answers).expect("a writable folder");
        }
        let expected = fs::read_to_string(&expected).expect("the answers");
        for (number, (found, wanted)) in answers.lines().zip(expected.lines()).enumerate() {
            assert_eq!(found, wanted, "{}, line {}", file.display(), number + 1);
        }
        assert_eq!(
            answers.lines().count(),
            expected.lines().count(),
            "lines of {}",
            file.display()
        );
    }
}
