//! Ways to damage bytes, by a seed: the same seed damages in the same way.

use std::io::Write;

/// How many files of each format are damaged: 1,000, or as many as `LANESCOPE_MUTATIONS` says.
pub(crate) fn damaged_files() -> u64 {
    std::env::var("LANESCOPE_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000)
}

/// Prints a figure, of tests that pass too: `eprintln!` is shown for those that fail only.
pub(crate) fn told(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}"); // where it cannot be printed nobody looks
}

/// Numbers that look random (splitmix64).
pub(crate) struct Seeded(pub(crate) u64);

impl Seeded {
    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 for 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }
}

/// Numbers and words that readers stumble over.
const ODD: [&str; 24] = [
    "-1",
    "0",
    "1e308",
    "-1e308",
    "1e-320",
    "18446744073709551616",
    "9223372036854775807",
    "4294967295",
    "4294967296",
    "0.1000000000000000055511151231257827",
    "NaN",
    "Infinity",
    "\"NA\"",
    "\"\"",
    "null",
    "true",
    "[]",
    "{}",
    "[[[[[[[[]]]]]]]]",
    "\"\\ud800\"",
    "\"0xffffffffffffffffffff\"",
    "\"\\u0000\"",
    "[-1,\"x\",null,{}]",
    "{\"Percent\":\"x\",\"Details\":[1]}",
];

/// The bytes with one to three damages.
pub(crate) fn mutate(original: &[u8], random: &mut Seeded) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(3) {
        match random.below(10) {
            0 => bytes.truncate(random.below(bytes.len() + 1)),
            1 => flip(&mut bytes, random),
            2 => fill(&mut bytes, random, 0xff),
            3 => fill(&mut bytes, random, 0),
            4 => blow_up(&mut bytes, random),
            5 => swap(&mut bytes, random),
            6 => cut_out(&mut bytes, random),
            7 => noise(&mut bytes, random),
            _ => edit_json(&mut bytes, random),
        }
    }
    bytes
}

fn flip(bytes: &mut [u8], random: &mut Seeded) {
    for _ in 0..=random.below(8) {
        let at = random.below(bytes.len());
        if let Some(b) = bytes.get_mut(at) {
            *b ^= 1 << random.below(8);
        }
    }
}

fn fill(bytes: &mut [u8], random: &mut Seeded, with: u8) {
    let at = random.below(bytes.len());
    let end = (at + 1 + random.below(64)).min(bytes.len());
    bytes[at..end].fill(with);
}

/// Eight bytes become a huge number, a small one, or one near the length.
fn blow_up(bytes: &mut [u8], random: &mut Seeded) {
    let at = random.below(bytes.len()) / 4 * 4;
    let len = bytes.len() as u64;
    let number =
        [u64::MAX, 1 << 63, 1 << 40, u64::from(u32::MAX), len, len - len.min(1), 0, 3][random.below(8)];
    for (to, from) in bytes.iter_mut().skip(at).zip(number.to_le_bytes()) {
        *to = from;
    }
}

/// Two stretches change places.
fn swap(bytes: &mut Vec<u8>, random: &mut Seeded) {
    let n = bytes.len();
    let mut cuts = [random.below(n + 1), random.below(n + 1), random.below(n + 1)];
    cuts.sort_unstable();
    let [a, b, c] = cuts.map(|cut| cut / 4 * 4);
    bytes[a..c].rotate_left(b - a);
}

fn cut_out(bytes: &mut Vec<u8>, random: &mut Seeded) {
    let at = random.below(bytes.len() + 1);
    let end = (at + random.below(200)).min(bytes.len());
    bytes.drain(at..end);
}

fn noise(bytes: &mut Vec<u8>, random: &mut Seeded) {
    let at = random.below(bytes.len() + 1);
    let new: Vec<u8> = (0..random.below(64)).map(|_| random.next() as u8).collect();
    bytes.splice(at..at, new);
}

/// A value of JSON becomes an odd one, a name another, or a bracket goes.
fn edit_json(bytes: &mut Vec<u8>, random: &mut Seeded) {
    let start = random.below(bytes.len());
    match random.below(4) {
        0 | 1 => {
            let Some(colon) = bytes.iter().skip(start).position(|&b| b == b':').map(|i| i + start + 1) else {
                return;
            };
            let is_end = |b: &u8| matches!(b, b',' | b'}' | b']' | b'\n');
            let len = bytes.iter().skip(colon).position(is_end).unwrap_or(0);
            let new = ODD[random.below(ODD.len())];
            bytes.splice(colon..colon + len, new.bytes());
        }
        2 => {
            let Some(quote) = bytes.iter().skip(start).position(|&b| b == b'"').map(|i| i + start + 1) else {
                return;
            };
            if let Some(b) = bytes.get_mut(quote) {
                *b = b'A' + random.below(50) as u8;
            }
        }
        _ => {
            let is_bracket = |b: &u8| matches!(b, b'{' | b'}' | b'[' | b']' | b'"');
            let Some(at) = bytes.iter().skip(start).position(is_bracket).map(|i| i + start) else { return };
            bytes.remove(at);
        }
    }
}
