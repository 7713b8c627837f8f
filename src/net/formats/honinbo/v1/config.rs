//! Configuration of version 1 networks: sizes stored in the metadata of a file, and the tensors derived
//! from them.
//!
//! All sizes of a [`NetConfig`] are within fixed limits if it was parsed or has passed [`NetConfig::validate`]. Code that
//! uses such a configuration needs no checks for overflow or excessive allocations. [`NetConfig::tensors`] is the only
//! list of tensor names and shapes; reader, writer and random initialisation all use it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::metadata::{FORMAT, expect_entry};
use crate::net::error::NetError;

/// Required value of `version` in the metadata.
const VERSION: u64 = 1;
/// Maximum number of channels, planes, global inputs and hidden units.
const MAX_CHANNELS: usize = 2048;
/// Maximum number of residual blocks.
const MAX_BLOCKS: usize = 256;

/// Kind of a residual block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockKind {
    /// Two 3x3 convolutions.
    Ordinary,
    /// An ordinary block that also adds globally pooled features to the output of its first convolution.
    Pooling,
}

/// Sizes of a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetConfig {
    /// Name of the network, for example `b6c64`.
    pub name: String,
    /// Number of input planes.
    pub planes: usize,
    /// Number of global inputs; may be 0.
    pub globals: usize,
    /// Number of channels of the trunk.
    pub channels: usize,
    /// Residual blocks, in order.
    pub blocks: Vec<BlockKind>,
    /// Number of pooled channels in a pooling block.
    pub pool_channels: usize,
    /// Number of channels of the policy head.
    pub policy_channels: usize,
    /// Number of channels of the value head.
    pub value_channels: usize,
    /// Number of hidden units of the value head.
    pub value_hidden: usize,
    /// True if the policy head has an output for the pass.
    pub pass: bool,
    /// True if the value head has an output for the score lead.
    pub score: bool,
    /// True if the value head has an output for the ownership of each point.
    pub ownership: bool,
}

impl NetConfig {
    /// Returns a small configuration for tests: 23 planes, 10 channels, two blocks, and no outputs except the value and
    /// the policy of the points.
    #[must_use]
    pub fn classic() -> Self {
        Self {
            name: "classic".to_owned(),
            planes: 23,
            globals: 0,
            channels: 10,
            blocks: vec![BlockKind::Ordinary; 2],
            pool_channels: 10,
            policy_channels: 10,
            value_channels: 10,
            value_hidden: 32,
            pass: false,
            score: false,
            ownership: false,
        }
    }

    /// Returns a configuration with all outputs. Every third block is a pooling block.
    #[must_use]
    pub fn standard(planes: usize, globals: usize, blocks: usize, channels: usize) -> Self {
        let kind = |index| {
            if index % 3 == 2 {
                BlockKind::Pooling
            } else {
                BlockKind::Ordinary
            }
        };
        Self {
            name: format!("b{blocks}c{channels}"),
            planes,
            globals,
            channels,
            blocks: (0..blocks).map(kind).collect(),
            pool_channels: 32,
            policy_channels: 32,
            value_channels: 32,
            value_hidden: 64,
            pass: true,
            score: true,
            ownership: true,
        }
    }

    /// Parses the metadata entry `honinbo`.
    ///
    /// # Errors
    /// Returns [`NetError::Config`] for an unsupported format or version, missing or unknown fields, or sizes out of
    /// range.
    pub fn from_json(text: &str) -> Result<Self, NetError> {
        let unreadable = |error: serde_json::Error| NetError::Config(error.to_string());
        let mut entries: Map<String, Value> = serde_json::from_str(text).map_err(unreadable)?;
        expect_entry(&mut entries, "format", &Value::from(FORMAT))?;
        expect_entry(&mut entries, "version", &Value::from(VERSION))?;
        let config: Self = serde_json::from_value(Value::Object(entries)).map_err(unreadable)?;
        config.validate()?;
        Ok(config)
    }

    /// Returns the metadata entry `honinbo`, the inverse of [`NetConfig::from_json`].
    ///
    /// # Errors
    /// Returns [`NetError::Config`] if [`NetConfig::validate`] fails.
    pub fn to_json(&self) -> Result<String, NetError> {
        self.validate()?;
        let head = [
            ("format", Value::from(FORMAT)),
            ("version", Value::from(VERSION)),
        ];
        let mut entries: Map<String, Value> = head
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        match serde_json::to_value(self) {
            Ok(Value::Object(sizes)) => entries.extend(sizes),
            other => {
                return Err(NetError::Config(format!(
                    "expected a JSON object, found {other:?}"
                )));
            }
        }
        Ok(Value::Object(entries).to_string())
    }

    /// Checks that all sizes are within their limits.
    ///
    /// # Errors
    /// Returns [`NetError::Config`] with the name of the first invalid size, its range and its value.
    pub fn validate(&self) -> Result<(), NetError> {
        let sizes = [
            ("planes", self.planes, 1, MAX_CHANNELS),
            ("globals", self.globals, 0, MAX_CHANNELS),
            ("channels", self.channels, 1, MAX_CHANNELS),
            ("blocks", self.blocks.len(), 0, MAX_BLOCKS),
            ("pool_channels", self.pool_channels, 1, MAX_CHANNELS),
            ("policy_channels", self.policy_channels, 1, MAX_CHANNELS),
            ("value_channels", self.value_channels, 1, MAX_CHANNELS),
            ("value_hidden", self.value_hidden, 1, MAX_CHANNELS),
        ];
        match sizes
            .iter()
            .find(|(_, found, least, most)| !(least..=most).contains(&found))
        {
            None => Ok(()),
            Some((name, found, least, most)) => Err(NetError::Config(format!(
                "expected {name} from {least} to {most}, found {found}"
            ))),
        }
    }

    /// Returns the names and shapes of all tensors of the network. Convolutions have the layout
    /// `[outputs, inputs, height, width]`, linear layers `[outputs, inputs]`.
    #[must_use]
    pub fn tensors(&self) -> Vec<(String, Vec<usize>)> {
        let mut list = Inventory::default();
        list.add("input.conv.weight", &[self.channels, self.planes, 3, 3]);
        if self.globals > 0 {
            list.add("input.global.weight", &[self.channels, self.globals]);
        }
        for (index, &kind) in self.blocks.iter().enumerate() {
            self.list_block(&mut list, &format!("blocks.{index}"), kind);
        }
        list.add_norm("tip.norm", self.channels);
        self.list_policy(&mut list);
        self.list_value(&mut list);
        list.0
    }

    fn list_block(&self, list: &mut Inventory, block: &str, kind: BlockKind) {
        let (width, pooled) = (self.channels, self.pool_channels);
        list.add_norm(&format!("{block}.norm1"), width);
        list.add(&format!("{block}.conv1.weight"), &[width, width, 3, 3]);
        list.add_norm(&format!("{block}.norm2"), width);
        list.add(&format!("{block}.conv2.weight"), &[width, width, 3, 3]);
        if kind == BlockKind::Pooling {
            list.add(&format!("{block}.pool_conv.weight"), &[pooled, width, 3, 3]);
            list.add_norm(&format!("{block}.pool_norm"), pooled);
            list.add(&format!("{block}.pool_linear.weight"), &[width, 3 * pooled]);
        }
    }

    fn list_policy(&self, list: &mut Inventory) {
        let width = self.policy_channels;
        list.add("policy.conv.weight", &[width, self.channels, 1, 1]);
        list.add("policy.pool_conv.weight", &[width, self.channels, 1, 1]);
        list.add_norm("policy.pool_norm", width);
        list.add("policy.pool_linear.weight", &[width, 3 * width]);
        list.add_norm("policy.norm", width);
        list.add("policy.out.weight", &[1, width, 1, 1]);
        if self.pass {
            list.add("policy.pass.weight", &[1, 3 * width]);
        }
    }

    fn list_value(&self, list: &mut Inventory) {
        let width = self.value_channels;
        list.add("value.conv.weight", &[width, self.channels, 1, 1]);
        list.add_norm("value.norm", width);
        list.add_biased("value.hidden", &[self.value_hidden, 3 * width]);
        list.add_biased("value.win", &[1, self.value_hidden]);
        if self.score {
            list.add_biased("value.score", &[1, self.value_hidden]);
        }
        if self.ownership {
            list.add("value.ownership.weight", &[1, width, 1, 1]);
        }
    }
}

/// List of tensor names and shapes.
#[derive(Default)]
struct Inventory(Vec<(String, Vec<usize>)>);

impl Inventory {
    fn add(&mut self, name: &str, shape: &[usize]) {
        self.0.push((name.to_owned(), shape.to_vec()));
    }

    fn add_norm(&mut self, norm: &str, width: usize) {
        for part in ["weight", "bias", "running_mean", "running_var"] {
            self.add(&format!("{norm}.{part}"), &[width]);
        }
    }

    fn add_biased(&mut self, layer: &str, shape: &[usize; 2]) {
        self.add(&format!("{layer}.weight"), shape);
        self.add(&format!("{layer}.bias"), &shape[..1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_round_trip_keeps_every_entry() {
        for config in [NetConfig::classic(), NetConfig::standard(32, 13, 6, 64)] {
            let text = config.to_json().unwrap();
            assert!(
                text.contains("\"honinbo-net\"") && text.contains("\"ordinary\""),
                "{text}"
            );
            assert_eq!(NetConfig::from_json(&text).unwrap(), config);
        }
    }

    #[test]
    fn unusable_configurations_are_explained() {
        let good = NetConfig::classic().to_json().unwrap();
        let cases = [
            (
                "\"honinbo-net\"",
                "\"other\"",
                "expected format \"honinbo-net\", found \"other\"",
            ),
            (
                "\"version\":1",
                "\"version\":2",
                "expected version 1, found 2",
            ),
            (
                "\"channels\":10",
                "\"channels\":0",
                "expected channels from 1 to 2048, found 0",
            ),
            (
                "\"channels\":10",
                "\"channels\":999999999999",
                "expected channels from 1 to 2048",
            ),
            ("\"channels\":10", "\"channels\":-3", "invalid value"),
            ("\"channels\":10,", "", "missing field `channels`"),
            (
                "\"pass\":false",
                "\"pass\":false,\"fish\":1",
                "unknown field `fish`",
            ),
            ("\"ordinary\"", "\"strange\"", "unknown variant `strange`"),
            ("{", "[", "net configuration"),
        ];
        for (from, to, expected) in cases {
            assert!(good.contains(from), "{from} not in {good}");
            let text = NetConfig::from_json(&good.replace(from, to))
                .unwrap_err()
                .to_string();
            assert!(text.contains(expected), "{from} -> {to}: {text}");
        }
    }

    #[test]
    fn the_classic_net_has_the_tensors_of_its_description() {
        let tensors = NetConfig::classic().tensors();
        let numbers: usize = tensors
            .iter()
            .map(|(_, shape)| shape.iter().product::<usize>())
            .sum();
        // Input convolution: 10*23*9. Two blocks of 2 norms and 2 convolutions. Final norm. Policy: 2 norms,
        // 100+100+300+10. Value: norm, 100, 32*30+32, 32+1.
        assert_eq!(
            numbers,
            2070 + 2 * (80 + 1800) + 40 + (80 + 510) + (40 + 100 + 992 + 33)
        );
        assert!(
            tensors
                .iter()
                .all(|(name, _)| !name.contains("pass") && !name.contains("score"))
        );
    }
}
