//! Signature of the search in the benchmark positions. It changes if and only if the behaviour of the rules, the
//! hashed evaluator or the search changes. `honinbo bench` prints it.

use honinbo::bench::{
    DEFAULT_SIGNATURE_VISITS, bench_positions, combine_signatures, measure_hashed_search,
};

/// Update it together with the behaviour, and explain the change in the commit message.
const SIGNATURE: u64 = 0x3c44_834b_86c7_8dd4;

#[test]
fn search_signature_is_unchanged() {
    let cases = bench_positions();
    assert_eq!(cases.len(), 11);
    let signatures = cases.iter().map(|case| {
        let measured =
            measure_hashed_search(&case.position, DEFAULT_SIGNATURE_VISITS).expect("a thread");
        assert_eq!(measured.visits, DEFAULT_SIGNATURE_VISITS, "{}", case.name);
        measured.signature
    });
    let found = combine_signatures(signatures);
    assert_eq!(
        found, SIGNATURE,
        "found {found:#018x}, expected {SIGNATURE:#018x}"
    );
}

#[test]
fn signature_is_reproducible_and_depends_on_visits() {
    let case = &bench_positions()[6];
    let signature = |visits| {
        measure_hashed_search(&case.position, visits)
            .expect("a thread")
            .signature
    };
    assert_eq!(signature(300), signature(300));
    assert_ne!(signature(300), signature(301));
}
