//! What the search does in the benchmark's positions, as one number: it changes when, and only when, the behaviour of the
//! rules, the hashed evaluator or the search does. `honinbo bench` prints it.

use honinbo::bench::{SIGNATURE_VISITS, bench_positions, combine_signatures, measure_hashed};

/// Change it together with the behaviour, and say in the commit why the behaviour changed.
const SIGNATURE: u64 = 0x3c44_834b_86c7_8dd4;

#[test]
fn the_search_has_its_signature() {
    let cases = bench_positions();
    assert_eq!(cases.len(), 11);
    let signatures = cases.iter().map(|case| {
        let measured = measure_hashed(&case.position, SIGNATURE_VISITS).expect("a thread");
        assert_eq!(measured.visits, SIGNATURE_VISITS, "{}", case.name);
        measured.signature
    });
    let found = combine_signatures(signatures);
    assert_eq!(
        found, SIGNATURE,
        "found {found:#018x}, expected {SIGNATURE:#018x}"
    );
}

#[test]
fn the_same_search_has_the_same_signature_and_a_longer_one_another() {
    let case = &bench_positions()[6];
    let signature = |visits| {
        measure_hashed(&case.position, visits)
            .expect("a thread")
            .signature
    };
    assert_eq!(signature(300), signature(300));
    assert_ne!(signature(300), signature(301));
}
