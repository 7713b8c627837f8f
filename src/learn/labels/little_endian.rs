//! Functions that parse little-endian numbers. Each function reads from the start of a slice and removes the bytes that
//! it has read. It returns `None` if the slice is too short.

pub(super) fn read_array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, remaining) = bytes.split_first_chunk()?;
    *bytes = remaining;
    Some(*first)
}

pub(super) fn read_u16(bytes: &mut &[u8]) -> Option<u16> {
    read_array(bytes).map(u16::from_le_bytes)
}

pub(super) fn read_u8(bytes: &mut &[u8]) -> Option<u8> {
    bytes.split_off_first().copied()
}
