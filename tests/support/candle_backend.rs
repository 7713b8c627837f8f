//! Device of tests that compare candle's operations with expected outputs.

use candle_core::DType;
use honinbo::net::candle::device::{Backend, DeviceChoice};

/// Environment variable that names the device, such as `cuda`. If it is not set, the tests use the CPU.
const VARIABLE: &str = "HONINBO_TEST_DEVICE";

/// Opens the device, with the number type `dtype`.
pub fn backend(dtype: DType) -> Backend {
    let choice = match std::env::var(VARIABLE) {
        Ok(name) => name.parse().expect("the name of a device"),
        Err(_) => DeviceChoice::Candle,
    };
    let backend = choice.open().expect("a working device");
    Backend {
        dtype,
        ..backend.unwrap_or_default()
    }
}
