//! The three candle modules of a network: features, policy head and value head.
//!
//! On the CPU, each forward pass is a custom operation of candle that runs the fused kernels of [`cpu`](super::cpu). On
//! other devices, and for comparison, a forward pass consists of candle's own operations, in f32, f16 or bf16. These
//! operations are the most direct description of how a network is computed. A batch of `n` positions passes through the
//! three modules. The diagram shows the shapes of the tensors between the modules:
//!
//! ```text
//! planes   [n, planes, height, width] ──▶ ┌──────────────────────────────┐
//! globals  [n, globals + profile] ──────▶ │ Features                     │
//!                                         │  stem                        │
//!                                         │  block, block, … block       │
//!                                         │  final norm                  │
//!                                         └──────────────┬───────────────┘
//!                            features [n, channels, height, width]
//!                                      ┌─────────────────┴────────────────┐
//!                             ┌────────▼─────────┐              ┌─────────▼────────┐
//!                             │ PolicyHead       │              │ ValueHead        │
//!                             └────────┬─────────┘              └─────────┬────────┘
//!              [n, points * policies + passes]              [n, results + scores + points]
//! ```
//!
//! Here, `policies` is the number of policy channels (see [`PolicyHead`](super::spec::heads::PolicyHead)), and
//! `passes`, `results` and `scores` are the numbers of outputs for the pass, the result and the score.
//!
//! The **stem** turns the inputs into the start of the trunk. Global inputs and the player profile are vectors. The
//! results of their layers are added to every point:
//!
//! ```text
//! planes ──▶ conv ─────────▶ + ──▶ (norm) ──▶ x
//! globals ─▶ linear ─────────┤
//! profile ─▶ linear layers ──┘
//! ```
//!
//! A **residual block** ([`block`], [`transformer`]) adds its output to the trunk, so that it only computes a correction.
//!
//! With 16-bit types, only the products of the convolutions and feed-forward layers in the blocks have 16-bit operands
//! and results. Everything else remains in f32, in particular attention and the trunk: it is the sum of the outputs of
//! many blocks, and rounding this sum after each block would lose accuracy that later layers could not restore.
//! [`spec`](super::spec) contains the formulas of all layers.

pub mod block;
pub mod device;
pub mod features;
pub mod fused;
pub mod layers;
pub mod network;
pub mod policy_head;
pub mod transformer;
pub mod value_head;
