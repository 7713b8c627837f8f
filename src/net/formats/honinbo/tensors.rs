//! Tensors in network files: conversion between `f32` values and little-endian 16-bit or 32-bit floats.

use std::collections::{HashMap, HashSet};

use half::f16;
use half::slice::HalfFloatSliceExt;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

use crate::net::error::NetError;
use crate::net::spec::check::check_finite;
use crate::net::spec::layer_list::TensorMut;

/// Maximum number of names per kind of difference in an error message.
const MAX_NAMES: usize = 5;

/// Number format in which matrices and convolution kernels are stored in a file. Vectors (norms, biases) are always
/// stored as F32, because their values can exceed the range of F16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePrecision {
    /// 16-bit floats: half the size, rounded to 11 significant bits.
    F16,
    /// 32-bit floats, lossless.
    F32,
}

/// Serialises tensors and metadata as a safetensors file. Vectors are stored as F32 regardless of `precision`.
///
/// # Errors
/// Returns [`NetError::Value`] if a value exceeds the range of the 16-bit format, and [`NetError::Format`] if the shape
/// of a tensor does not match the number of its values.
pub fn serialize(
    tensors: &[TensorMut],
    precision: FilePrecision,
    metadata: HashMap<String, String>,
) -> Result<Vec<u8>, NetError> {
    let encode = |tensor: &TensorMut| -> Result<_, NetError> {
        Ok(match precision {
            FilePrecision::F16 if tensor.shape.len() > 1 => {
                (Dtype::F16, f16_bytes(&tensor.name, tensor.values)?)
            }
            _ => (Dtype::F32, f32_bytes(tensor.values)),
        })
    };
    let encoded = tensors.iter().map(encode).collect::<Result<Vec<_>, _>>()?;
    let views = tensors
        .iter()
        .zip(&encoded)
        .map(|(tensor, (dtype, bytes))| {
            Ok((
                &tensor.name,
                TensorView::new(*dtype, tensor.shape.clone(), bytes)?,
            ))
        });
    let views = views.collect::<Result<Vec<_>, _>>();
    let file = views.and_then(|views| safetensors::serialize(views, Some(metadata)));
    file.map_err(NetError::Format)
}

/// Reader of the tensors in a file. Records all differences from the tensors that the network requires;
/// [`finish`](Self::finish) reports them.
pub struct TensorReader<'a> {
    file: &'a SafeTensors<'a>,
    /// Names of the tensors requested so far.
    names: HashSet<String>,
    /// Names of required tensors that are missing.
    missing: Vec<String>,
    /// Names and shapes of the tensors with the wrong shape.
    differing: Vec<String>,
}

impl<'a> TensorReader<'a> {
    pub fn new(file: &'a SafeTensors<'a>) -> Self {
        Self {
            file,
            names: HashSet::new(),
            missing: Vec::new(),
            differing: Vec::new(),
        }
    }

    /// Reads the values of a tensor. Returns `None` if the tensor is missing or does not have the shape `shape`;
    /// [`finish`](Self::finish) reports such differences.
    ///
    /// # Errors
    /// Returns [`NetError::Layer`] for number formats other than F16 and F32, and [`NetError::Value`] if a value is not
    /// finite.
    pub fn read_named(
        &mut self,
        name: &str,
        shape: &[usize],
    ) -> Result<Option<Vec<f32>>, NetError> {
        self.names.insert(name.to_owned());
        match self.file.tensor(name) {
            Ok(view) if view.shape() == shape => return decode(name, &view).map(Some),
            Ok(view) => {
                let found = view.shape();
                let difference = format!("{name} (expected {shape:?}, found {found:?})");
                self.differing.push(difference);
            }
            Err(_) => self.missing.push(name.to_owned()),
        }
        Ok(None)
    }

    /// Checks that all requested tensors were found with the requested shape and that the file contains no other
    /// tensors.
    ///
    /// # Errors
    /// Returns [`NetError::Tensors`] with at most `MAX_NAMES` names for each kind of difference.
    pub fn finish(self) -> Result<(), NetError> {
        let names = self.file.names().into_iter().map(ToString::to_string);
        let mut extra: Vec<String> = names.filter(|name| !self.names.contains(name)).collect();
        extra.sort();
        let mut parts = Vec::new();
        for (label, names) in [
            ("missing", self.missing),
            ("unexpected", extra),
            ("with the wrong shape", self.differing),
        ] {
            let shown = names[..names.len().min(MAX_NAMES)].join(", ");
            let more = match names.len().saturating_sub(MAX_NAMES) {
                0 => String::new(),
                hidden => format!(" and {hidden} more"),
            };
            if !names.is_empty() {
                parts.push(format!("{} {label}: {shown}{more}", names.len()));
            }
        }
        match parts.is_empty() {
            true => Ok(()),
            false => Err(NetError::Tensors(parts.join("; "))),
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
            return Err(NetError::Layer {
                location: format!("tensor {name}"),
                expected: "F16 or F32".to_owned(),
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
