//! Whatever the bytes, Leela Zero's reader ends in a net that passes its check or in an error.
#![no_main]

use honinbo::net::leela_zero::read;
use honinbo::net::stream::Stream;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let net = Stream::new(bytes).map(read);
    if let Ok(Ok(net)) = net {
        net.checked().expect("what was read passes the check");
    }
});
