//! Tensors in network files: conversion between `f32` values and little-endian 16-bit or 32-bit floats.

use std::collections::{HashMap, HashSet};

use half::f16;
use half::slice::HalfFloatSliceExt;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

use crate::net::error::{NetError, TensorMismatch};
use crate::net::spec::check::check_finite;

/// Number format in which matrices and convolution kernels are stored in a file. Vectors (norms, biases) are always
/// stored as F32, because their values can exceed the range of F16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePrecision {
    /// 16-bit floats: half the size, rounded to 11 significant bits.
    F16,
    /// 32-bit floats, lossless.
    F32,
}

/// A tensor encoded for a file.
#[derive(Debug)]
pub struct EncodedTensor {
    name: String,
    shape: Vec<usize>,
    dtype: Dtype,
    bytes: Vec<u8>,
}

impl EncodedTensor {
    /// Encodes a tensor. Vectors are encoded as F32 regardless of `precision`.
    ///
    /// # Errors
    /// Returns [`NetError::Value`] if a value exceeds the range of the 16-bit format.
    pub fn new(
        name: &str,
        shape: &[usize],
        values: &[f32],
        precision: FilePrecision,
    ) -> Result<Self, NetError> {
        let short = precision == FilePrecision::F16 && shape.len() > 1;
        Ok(Self {
            name: name.to_owned(),
            shape: shape.to_vec(),
            dtype: if short { Dtype::F16 } else { Dtype::F32 },
            bytes: if short {
                f16_bytes(name, values)?
            } else {
                f32_bytes(values)
            },
        })
    }
}

/// Serialises tensors and metadata as a safetensors file.
///
/// # Errors
/// Returns [`NetError::Format`] if the shape of a tensor does not match the number of its values.
pub fn serialize(
    encoded: &[EncodedTensor],
    metadata: HashMap<String, String>,
) -> Result<Vec<u8>, NetError> {
    let mut views = Vec::new();
    for EncodedTensor {
        name,
        shape,
        dtype,
        bytes,
    } in encoded
    {
        let view = TensorView::new(*dtype, shape.clone(), bytes).map_err(NetError::Format)?;
        views.push((name.as_str(), view));
    }
    safetensors::serialize(views, Some(metadata)).map_err(NetError::Format)
}

/// Reader of the tensors in a file. Records all differences from the tensors that the network requires;
/// [`finish`](Self::finish) reports them.
pub struct TensorReader<'a> {
    file: &'a SafeTensors<'a>,
    /// Names of the tensors requested so far.
    names: HashSet<String>,
    mismatch: TensorMismatch,
}

impl<'a> TensorReader<'a> {
    pub fn new(file: &'a SafeTensors<'a>) -> Self {
        Self {
            file,
            names: HashSet::new(),
            mismatch: TensorMismatch::default(),
        }
    }

    /// Reads the values of a tensor. Returns `None` if the tensor is missing or does not have the shape `shape`;
    /// [`finish`](Self::finish) reports such differences.
    ///
    /// # Errors
    /// Returns [`NetError::NumberFormat`] for number formats other than F16 and F32, and [`NetError::Value`] if a value
    /// is not finite.
    pub fn read_named(
        &mut self,
        name: &str,
        shape: &[usize],
    ) -> Result<Option<Vec<f32>>, NetError> {
        self.names.insert(name.to_owned());
        match self.file.tensor(name) {
            Ok(view) if view.shape() == shape => return decode(name, &view).map(Some),
            Ok(view) => {
                let shapes = (name.to_owned(), shape.to_vec(), view.shape().to_vec());
                self.mismatch.differing.push(shapes);
            }
            Err(_) => self.mismatch.missing.push(name.to_owned()),
        }
        Ok(None)
    }

    /// Checks that all requested tensors were found with the requested shape and that the file contains no other
    /// tensors.
    ///
    /// # Errors
    /// Returns [`NetError::Tensors`] with all differences if there are any.
    pub fn finish(mut self) -> Result<(), NetError> {
        let names = self.file.names().into_iter();
        let others = names.filter(|name| !self.names.contains(*name));
        self.mismatch.extra = others.map(ToString::to_string).collect();
        self.mismatch.extra.sort();
        match self.mismatch.is_empty() {
            true => Ok(()),
            false => Err(NetError::Tensors(self.mismatch)),
        }
    }
}

/// Decodes a tensor of a file into finite `f32` values, or returns an error as [`TensorReader::read_named`] does.
fn decode(name: &str, view: &TensorView) -> Result<Vec<f32>, NetError> {
    let (pairs, _) = view.data().as_chunks();
    let (quads, _) = view.data().as_chunks();
    let values: Vec<f32> = match view.dtype() {
        Dtype::F16 => pairs
            .iter()
            .map(|&bytes| f16::from_le_bytes(bytes).to_f32())
            .collect(),
        Dtype::F32 => quads
            .iter()
            .map(|&bytes| f32::from_le_bytes(bytes))
            .collect(),
        other => {
            return Err(NetError::NumberFormat {
                name: name.to_owned(),
                found: other.to_string(),
            });
        }
    };
    check_finite(&format!("tensor {name}"), &values)?;
    Ok(values)
}

/// Encodes `values` as F16. Returns [`NetError::Value`] if one exceeds the range of F16.
fn f16_bytes(name: &str, values: &[f32]) -> Result<Vec<u8>, NetError> {
    let mut halves = vec![f16::ZERO; values.len()];
    halves.convert_from_f32_slice(values);
    match halves.iter().position(|half| !half.is_finite()) {
        None => Ok(halves.iter().flat_map(|half| half.to_le_bytes()).collect()),
        Some(index) => Err(NetError::Value {
            location: format!("tensor {name}"),
            expected: "numbers within the range of 16-bit floats (-65504 to 65504)",
            found: values[index],
            index,
        }),
    }
}

/// Encodes `values` as F32.
fn f32_bytes(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}
