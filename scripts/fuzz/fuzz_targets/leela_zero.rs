//! Leela Zero's format: arbitrary bytes give either a valid net or an error.
#![no_main]

use honinbo::net::formats::leela_zero::read;
use honinbo::net::formats::stream::Stream;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let net = Stream::new(bytes).map(read);
    if let Ok(Ok(net)) = net {
        net.checked().expect("accepted nets are valid");
    }
});
