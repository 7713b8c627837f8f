//! This program's own format: arbitrary bytes give either a valid net or an error.
#![no_main]

use honinbo::net::formats::honinbo::from_bytes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(net) = from_bytes(bytes) {
        net.checked().expect("accepted nets are valid");
    }
});
