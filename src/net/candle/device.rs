//! Choice of the device on which candle computes, and of the number type.
//!
//! | device | type | reason |
//! |---|---|---|
//! | CPU | f32 | 16-bit types are emulated there and therefore slower |
//! | CUDA | bf16 | tensor cores, f32 accumulation, and the range of f32, so that no activation overflows |
//! | CUDA before compute capability 8.0 | f32 | candle has no bf16 kernels there and sums f16 convolutions in f16 |
//! | Metal | f16 | native on every Apple GPU (bf16 is emulated on older ones), with f32 accumulation |
//!
//! Only the products of convolutions and feed-forward layers in the blocks use a 16-bit type, see
//! [`layers`](super::layers).

use std::fmt;
use std::str::FromStr;

use candle_core::{DType, Device, Result, Shape, Tensor};
use serde::Deserialize;

use crate::net::precision;

/// List of the texts that can be parsed as a [`DeviceChoice`], for messages and help texts.
pub const CHOICES: &str = "auto, cpu, cuda, cuda:N, metal or candle";

/// Device requested by the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum DeviceChoice {
    /// First GPU that this build can use; otherwise the CPU.
    #[default]
    Auto,
    /// CPU, with this engine's own kernels.
    Cpu,
    /// NVIDIA GPU with this index, counted from 0.
    Cuda(usize),
    Metal,
    /// CPU, with candle's operations only. Slower than [`Cpu`](Self::Cpu); intended for comparison.
    Candle,
}

/// Error for a device that is unknown, not supported by this build, or not usable.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    #[error("unknown device {0:?}: use {CHOICES}")]
    Unknown(String),
    /// The build does not support the device.
    #[error(
        "this build has no {name} support: build with `cargo build --release --features {feature}`, or use --device cpu"
    )]
    NotBuilt {
        /// Name of the GPU programming interface.
        name: &'static str,
        feature: &'static str,
    },
    /// The device does not exist or its driver does not work.
    #[error(
        "cannot use --device {device} ({source}): check that this GPU exists and that its driver works, or use --device cpu"
    )]
    Open {
        device: DeviceChoice,
        source: candle_core::Error,
    },
}

/// Device on which candle computes, and the number type of its products.
#[derive(Clone, Debug)]
pub struct Backend {
    pub device: Device,
    /// F32, F16 or BF16.
    pub dtype: DType,
}

impl FromStr for DeviceChoice {
    type Err = DeviceError;

    fn from_str(text: &str) -> std::result::Result<Self, DeviceError> {
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            "metal" => Ok(Self::Metal),
            "candle" => Ok(Self::Candle),
            _ => text
                .strip_prefix("cuda:")
                .and_then(|index| index.parse().ok())
                .map(Self::Cuda)
                .ok_or_else(|| DeviceError::Unknown(text.to_owned())),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => out.write_str("auto"),
            Self::Cpu => out.write_str("cpu"),
            Self::Cuda(0) => out.write_str("cuda"),
            Self::Cuda(index) => write!(out, "cuda:{index}"),
            Self::Metal => out.write_str("metal"),
            Self::Candle => out.write_str("candle"),
        }
    }
}

impl TryFrom<String> for DeviceChoice {
    type Error = DeviceError;

    fn try_from(text: String) -> std::result::Result<Self, DeviceError> {
        text.parse()
    }
}

impl DeviceChoice {
    /// True if this build can use a GPU.
    const HAS_GPU: bool = cfg!(feature = "cuda") || cfg!(feature = "metal");

    /// Returns true if this choice always selects the CPU with this engine's own kernels.
    #[must_use]
    pub fn uses_cpu_kernels(self) -> bool {
        self == Self::Cpu || (self == Self::Auto && !Self::HAS_GPU)
    }

    /// Opens the device and selects the number type for it. Returns `None` for the CPU with this engine's own kernels.
    ///
    /// # Errors
    /// Returns [`DeviceError::NotBuilt`] if this build does not support the device, and [`DeviceError::Open`] if the
    /// device does not exist or does not work. For [`Auto`](Self::Auto), the result is `Ok(None)` if no GPU can be
    /// opened.
    pub fn open(self) -> std::result::Result<Option<Backend>, DeviceError> {
        let (name, feature, is_built, dtype) = match self {
            Self::Auto => {
                let gpu = Self::Cuda(0).open().or_else(|_| Self::Metal.open());
                return Ok(gpu.unwrap_or(None));
            }
            Self::Cpu => return Ok(None),
            Self::Candle => return Ok(Some(Backend::default())),
            Self::Cuda(_) => ("CUDA", "cuda", cfg!(feature = "cuda"), DType::BF16),
            Self::Metal => ("Metal", "metal", cfg!(feature = "metal"), DType::F16),
        };
        if !is_built {
            return Err(DeviceError::NotBuilt { name, feature });
        }
        let device = match self {
            Self::Cuda(index) => Device::new_cuda(index),
            _ => Device::new_metal(0),
        };
        device
            .and_then(|device| Backend::with_supported_dtype(device, &[dtype, DType::F32]))
            .map(Some)
            .map_err(|source| DeviceError::Open {
                device: self,
                source,
            })
    }
}

impl Default for Backend {
    fn default() -> Self {
        Self::cpu(DType::F32)
    }
}

impl Backend {
    #[must_use]
    pub fn dtype(&self) -> precision::DType {
        match self.dtype {
            DType::F16 => precision::DType::F16,
            DType::BF16 => precision::DType::Bf16,
            _ => precision::DType::F32,
        }
    }

    #[must_use]
    pub fn cpu(dtype: DType) -> Self {
        Self {
            device: Device::Cpu,
            dtype,
        }
    }

    /// Returns a backend for the same device with f32.
    #[must_use]
    pub fn full_precision(&self) -> Self {
        Self {
            device: self.device.clone(),
            dtype: DType::F32,
        }
    }

    /// Creates a backend for `device` with the first type of `dtypes` in which the device can multiply matrices.
    ///
    /// # Errors
    /// Returns the error for the last type if none works.
    pub fn with_supported_dtype(device: Device, dtypes: &[DType]) -> Result<Self> {
        let mut error = candle_core::Error::Msg("no number type to select from".to_owned());
        for &dtype in dtypes {
            match probe_matmul(&device, dtype) {
                Ok(()) => return Ok(Self { device, dtype }),
                Err(cause) => error = cause,
            }
        }
        Err(error)
    }

    /// Copies f32 numbers to a new tensor on the device.
    pub(super) fn upload(&self, numbers: &[f32], shape: impl Into<Shape>) -> Result<Tensor> {
        Tensor::from_slice(numbers, shape.into(), &self.device)
    }

    /// Rounds a factor of a product to `dtype`, and converts it to the type in which products are computed. The two
    /// types differ only for bf16 on the CPU, where candle has no bf16 products.
    pub(super) fn product_operand(&self, factor: &Tensor) -> Result<Tensor> {
        let rounded = factor.to_dtype(self.dtype)?;
        match (&self.device, self.dtype) {
            (Device::Cpu, DType::BF16) => rounded.to_dtype(DType::F32),
            _ => Ok(rounded),
        }
    }

    /// Rounds a product to `dtype` and converts it to f32.
    pub(super) fn product_result(&self, product: &Tensor) -> Result<Tensor> {
        product.to_dtype(self.dtype)?.to_dtype(DType::F32)
    }
}

/// Checks that the device can multiply two small matrices in `dtype` and apply ReLU. Returns an error if the device
/// does not support these operations or if the result is wrong.
fn probe_matmul(device: &Device, dtype: DType) -> Result<()> {
    let ones = Tensor::ones((16, 16), DType::F32, device)?.to_dtype(dtype)?;
    let sum = ones
        .matmul(&ones)?
        .elu(0.0)?
        .to_dtype(DType::F32)?
        .mean_all()?;
    match sum.to_scalar::<f32>()? {
        16.0 => Ok(()),
        wrong => candle_core::bail!(
            "the device computes {wrong} instead of 16 in a matrix multiplication in {dtype:?}"
        ),
    }
}
