//! What files are known by, whatever they are called: for what is kept beside them, such as notes.
//!
//! A fingerprint is 128 bits of the lengths of all files and of sampled bytes: files of at most 512 KiB together are read
//! whole; of larger ones 32 pieces of 16 KiB are read, of one file from its beginning to its end at equal distances, of
//! several the last piece of each first. Of more than 32 files the 32 longest are read, and of the others the lengths count.
//! Neither names nor the order of files count.
//!
//! It costs 32 reads, however large the files are, and up to 64 of many small files. Two
//! recordings differ in length, or in the times that stand all over them; a copy in which single bytes were changed between
//! the pieces is taken for the same. That is no protection against who wants two files to be taken for one.

use super::{ReadError, Source};
use crate::base::job::{Turn, WORK};
use crate::base::order;

/// Most pieces that are read.
const PIECES: usize = 32;
/// Bytes of one.
const PIECE: usize = 16 << 10;

/// How many pieces are read and summed up in one turn.
const IN_TURN: usize = 4;

/// The fingerprint of these files, in hexadecimal digits.
///
/// # Errors
/// When a file cannot be read, or is shorter than it was.
pub async fn fingerprint(mut files: Vec<Source>, turn: Turn) -> Result<String, ReadError> {
    order::sort_by_key(&mut files, |file| std::cmp::Reverse(file.len()));
    let total: u64 = files.iter().map(|file| file.len()).sum();
    let is_whole = total <= (PIECES * PIECE) as u64 && files.len() <= PIECES;
    let pieces = (PIECES / files.len().clamp(1, PIECES)) as u64;
    let mut sums = Vec::with_capacity(files.len());
    for (n, file) in files.into_iter().enumerate() {
        let mut hash = Hash::new();
        hash.add(&file.len().to_le_bytes());
        if n < PIECES {
            for at in starts(file.len(), if is_whole { u64::MAX } else { pieces }) {
                hash.add(&read(&file, at)?);
                if turn.is_over(WORK / IN_TURN) {
                    turn.pause().await;
                }
            }
        }
        sums.push(hash.value());
    }
    order::sort_by_key(&mut sums, |sum| *sum);
    let mut hash = Hash::new();
    for sum in sums {
        hash.add(&sum.to_le_bytes());
    }
    Ok(format!("{:032x}", hash.value()))
}

/// Where pieces of a file begin: at equal distances, the last one at its end.
fn starts(len: u64, most: u64) -> Vec<u64> {
    let all = len.div_ceil(PIECE as u64);
    let n = all.min(most);
    let last = len.saturating_sub(PIECE as u64);
    match n {
        0 => Vec::new(),
        1 => vec![last],
        _ if n == all => (0..n).map(|i| i * PIECE as u64).collect(),
        _ => (0..n)
            .map(|i| (u128::from(last) * u128::from(i) / u128::from(n - 1)).try_into().unwrap_or(last))
            .collect(),
    }
}

fn read(file: &Source, at: u64) -> Result<Vec<u8>, ReadError> {
    let len = usize::try_from(file.len().saturating_sub(at)).unwrap_or(PIECE).min(PIECE);
    let mut bytes = vec![0; len];
    let mut done = 0;
    while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match file.read_at(at + done as u64, rest)? {
            0 => return Err(ReadError(format!("{done} of {len} bytes could be read at {at}."))),
            n => done += n,
        }
    }
    Ok(bytes)
}

/// FNV-1a of 128 bits, by halves: `WebAssembly` has no product of 128 bits, and calls a function for each.
struct Hash {
    high: u64,
    low: u64,
}

/// What each step multiplies by is 2^88 and this.
const FACTOR: u64 = 0x13b;

impl Hash {
    fn new() -> Self {
        Self { high: 0x6c62_272e_07bb_0142, low: 0x62b8_2175_6295_c58d }
    }

    fn add(&mut self, bytes: &[u8]) {
        let Self { high, low } = self;
        for byte in bytes {
            *low ^= u64::from(*byte);
            let first = (*low & 0xffff_ffff) * FACTOR;
            let second = (*low >> 32) * FACTOR + (first >> 32);
            *high = high.wrapping_mul(FACTOR).wrapping_add(second >> 32).wrapping_add(*low << 24);
            *low = second << 32 | first & 0xffff_ffff;
        }
    }

    fn value(&self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
}
