//! Versions of KataGo's network inputs.

/// Version of the network inputs. A network file states a model version, which determines the input version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KataInputVersion {
    /// Model versions 3 and 4.
    V3,
    /// Model version 5. Areas are pass-alive areas under all rules.
    V4,
    /// Model version 6. Omits liberties, ladders, areas, whether a pass would end the game, and the parity of the komi.
    V5,
    /// Model version 7. Adds taxes; areas depend on the rules.
    V6,
    /// Model version 8 and later. Adds the button and unequal playouts.
    V7,
}

/// Options of an encoder in addition to the input version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KataOptions {
    /// Whether to compute pass-alive areas as if suicide were legal, regardless of the rules. Some network files
    /// request this.
    pub suicide_areas: bool,
}

impl KataInputVersion {
    /// All versions in ascending order.
    pub const ALL: [Self; 5] = [Self::V3, Self::V4, Self::V5, Self::V6, Self::V7];

    /// Returns the input version with the given number, or `None` if the number is not from 3 to 7.
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            3 => Some(Self::V3),
            4 => Some(Self::V4),
            5 => Some(Self::V5),
            6 => Some(Self::V6),
            7 => Some(Self::V7),
            _ => None,
        }
    }
}
