//! Loads and stores of SASS: which lanes of those of matrices give addresses, and which side of a copy addresses are of.

/// Addresses of shared memory are offsets below this.
pub(super) const SHARED_END: u64 = 1 << 24;

/// Lanes that give addresses where others need not: a load or store of 8 × 8 matrices has the rows of each from 8 lanes, of
/// one matrix unless its opcode says 2 or 4.
pub fn address_lanes(text: &str) -> u32 {
    let is_matrix = |word: &&str| word.starts_with("LDSM.") || word.starts_with("STSM.");
    let opcode = text.split([' ', ';']).find(is_matrix).unwrap_or_default();
    let mut parts = opcode.split('.').skip_while(|part| !matches!(*part, "M88" | "MT88"));
    match (parts.next(), parts.next()) {
        (None, _) | (_, Some("4")) => u32::MAX,
        (_, Some("2")) => 0xffff,
        _ => 0xff,
    }
}
