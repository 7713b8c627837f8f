//! The golden files of `scripts/golden_net.py`, and their tensors for tests that change them.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use half::f16;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

/// Shape and values of each tensor by name.
pub type Tensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

/// Path of a file in the folder of the golden nets.
pub fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/net")
        .join(file)
}

/// Returns the bytes of a golden net file.
pub fn bytes(net: &str) -> Vec<u8> {
    std::fs::read(path(&format!("{net}.safetensors"))).unwrap()
}

/// Returns the configuration text of a golden net.
pub fn config(net: &str) -> String {
    let bytes = bytes(net);
    let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
    header.metadata().as_ref().unwrap()["honinbo"].clone()
}

/// Returns the tensors of a golden net.
pub fn tensors(net: &str) -> Tensors {
    let bytes = bytes(net);
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let values = |view: &TensorView| -> Vec<f32> {
        let (pairs, _) = view.data().as_chunks();
        let (quads, _) = view.data().as_chunks();
        match view.dtype() {
            Dtype::F16 => pairs
                .iter()
                .map(|&pair| f16::from_le_bytes(pair).to_f32())
                .collect(),
            _ => quads.iter().map(|&quad| f32::from_le_bytes(quad)).collect(),
        }
    };
    let tensor = |(name, view): (&str, TensorView)| {
        (name.to_owned(), (view.shape().to_vec(), values(&view)))
    };
    file.iter().map(tensor).collect()
}

/// Returns a file with any tensors and configuration, without checks. `dtype` must have 32 bits.
pub fn file(config: Option<&str>, tensors: &Tensors, dtype: Dtype) -> Vec<u8> {
    let bytes = |values: &[f32]| -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect()
    };
    let stored: Vec<_> = tensors
        .iter()
        .map(|(name, (shape, values))| (name, shape, bytes(values)))
        .collect();
    let views = stored.iter().map(|(name, shape, bytes)| {
        (
            name.as_str(),
            TensorView::new(dtype, (*shape).clone(), bytes).unwrap(),
        )
    });
    let metadata = config.map(|text| HashMap::from([("honinbo".to_owned(), text.to_owned())]));
    safetensors::serialize(views, metadata).unwrap()
}
