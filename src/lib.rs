//! Honinbo, a Go engine.
