//! Training samples from a store.

use honinbo::learn::labels::store::LabelStore;

use super::{entry, label};
use crate::samples::run_samples;

#[test]
fn samples_contain_labels() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = LabelStore::open(folder.path()).unwrap();
    for number in 0..51 {
        store.append(&entry(3, number)).unwrap();
    }
    let samples = |arguments: &[&str]| {
        let arguments = [arguments, &["--no-symmetry", "--grid", "2", "--store"]].concat();
        run_samples(&arguments, folder.path()).unwrap()
    };
    let (header, frames) = samples(&[]);
    let names = [
        "score_deviation",
        "value_error",
        "score_error",
        "variance_time",
        "no_result",
    ];
    assert_eq!(header["targets"], serde_json::json!(names));
    let planes = 23 * 4;
    let frame = 4 + planes + 2 * 5 + 5 * 4 + 4 + 4 + 2 * 4 * names.len();
    // Entries 0 and 50 are held out; all others have two labels each.
    assert_eq!(frames.len(), 49 * 2 * frame);
    assert_eq!(samples(&["--held-out"]).1.len(), 2 * 2 * frame);
    let first = &frames[..frame];
    let floats = |at: usize, count: usize| -> Vec<f32> {
        let (numbers, _) = first[at..at + 4 * count].as_chunks();
        numbers
            .iter()
            .map(|&bytes| f32::from_le_bytes(bytes))
            .collect()
    };
    let policy = 4 + planes;
    // 2/3 and 1/3 as half floats.
    assert_eq!(
        first[policy..policy + 10],
        [0, 0, 0, 0, 0x55, 0x35, 0, 0, 0x55, 0x39]
    );
    // Policy weight, value, value weight, score, score weight.
    assert_eq!(floats(policy + 10, 5), [1.0, 1.0, 1.0, -2.5, 1.0]);
    let owners = label().ownership;
    let owners: Vec<u8> = owners
        .iter()
        .map(|owner| ((owner * 127.0).round() as i8).cast_unsigned())
        .collect();
    assert_eq!(first[policy + 30..policy + 34], owners);
    assert_eq!(floats(policy + 34, 1), [1.0]);
    let details = [3.25, 1.0, 0.25, 1.0, 0.5, 1.0, 1.5, 1.0, 0.0, 1.0];
    assert_eq!(floats(policy + 38, 10), details);
}
