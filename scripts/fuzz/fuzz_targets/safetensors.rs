//! Whatever the bytes, the reader of own files ends in a net that passes its check or in an error.
#![no_main]

use honinbo::net::own::from_bytes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(net) = from_bytes(bytes) {
        net.checked().expect("what was read passes the check");
    }
});
