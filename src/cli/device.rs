//! Options for the device and the number format of a network.

use clap::Args;
use honinbo::eval::device::DeviceConfig;
use honinbo::net::candle::device::DeviceChoice;
use honinbo::net::precision::Precision;

use super::values::precision_parser;

#[derive(Args, Debug)]
pub struct DeviceArgs {
    /// Number format for network evaluation
    #[arg(long, value_parser = precision_parser(), default_value_t)]
    precision: Precision,
    /// Device that evaluates the network: auto, cpu, cuda, cuda:N, metal or candle
    #[arg(long, value_name = "DEVICE", default_value_t)]
    device: DeviceChoice,
}

impl DeviceArgs {
    pub fn device_config(&self) -> DeviceConfig {
        DeviceConfig {
            device: self.device,
            precision: self.precision,
        }
    }
}
