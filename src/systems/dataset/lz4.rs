//! What LZ4 packed, as a single block and as a frame of blocks.

/// What frames begin with.
const MAGIC: &[u8] = &[0x04, 0x22, 0x4D, 0x18];

/// Some bytes of a number of so many, the lowest first, and what follows.
fn number(bytes: &[u8], n: usize) -> Option<(usize, &[u8])> {
    let (own, rest) = bytes.split_at_checked(n)?;
    Some((own.iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte)), rest))
}

/// A length: four bits, and bytes behind them as long as all their bits are set.
fn length(bits: u8, bytes: &[u8]) -> Option<(usize, &[u8])> {
    if bits < 15 {
        return Some((usize::from(bits), bytes));
    }
    let n = bytes.iter().take_while(|byte| **byte == 255).count();
    let (last, rest) = bytes.get(n..)?.split_first()?;
    Some((n.checked_mul(255)?.checked_add(15 + usize::from(*last))?, rest))
}

/// Puts what a block holds behind what was before it, up to so many bytes.
pub(super) fn block(mut bytes: &[u8], out: &mut Vec<u8>, most: usize) -> Option<()> {
    loop {
        let (token, rest) = bytes.split_first()?;
        let (n, rest) = length(token >> 4, rest)?;
        let (own, rest) = rest.split_at_checked(n)?;
        out.extend_from_slice(own);
        if rest.is_empty() {
            return (out.len() <= most).then_some(());
        }
        let (back, rest) = number(rest, 2)?;
        let (n, rest) = length(token & 15, rest)?;
        bytes = rest;
        let from = out.len().checked_sub(back).filter(|_| 0 < back)?;
        let end = out.len().checked_add(n)?.checked_add(4).filter(|end| *end <= most)?;
        // What is repeated may reach into itself.
        while out.len() < end {
            let n = (out.len() - from).min(end - out.len());
            out.extend_from_within(from..from + n);
        }
    }
}

/// What a frame holds, up to so many bytes.
pub(super) fn frame(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (flags, _) = rest.split_first()?;
    let has = |bit: u8| flags >> bit & 1 == 1;
    // Flags, size of blocks, size of the whole, number of a dictionary, checksum.
    let head = 3 + if has(3) { 8 } else { 0 } + if has(0) { 4 } else { 0 };
    let mut rest = rest.get(head..)?;
    let mut out = Vec::new();
    loop {
        let (size, after) = number(rest, 4)?;
        if size == 0 {
            return Some(out);
        }
        let (own, after) = after.split_at_checked(size & 0x7FFF_FFFF)?;
        if size >> 31 == 1 {
            out.extend_from_slice(own);
        } else {
            block(own, &mut out, most)?;
        }
        if most < out.len() {
            return None;
        }
        rest = after.get(if has(4) { 4 } else { 0 }..)?;
    }
}
