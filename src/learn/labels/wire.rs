//! Reading little-endian numbers from the front of a byte slice; `None` at its end.

pub(super) fn array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

pub(super) fn word(bytes: &mut &[u8]) -> Option<u16> {
    array(bytes).map(u16::from_le_bytes)
}

pub(super) fn byte(bytes: &mut &[u8]) -> Option<u8> {
    bytes.split_off_first().copied()
}
