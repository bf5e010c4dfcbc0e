//! Wavefronts of shared memory: passes over its 32 banks, each of which gives one word of 4 bytes in a pass.
//!
//! Lanes of up to 4 bytes go together, those of 8 a half of the warp at a time, those of 16 a quarter. Each such part takes
//! as many passes as the most distinct words that it wants of one bank, and at least one: without conflicts an access of
//! 128 bits takes four. That is how Nsight Compute counts wavefronts of shared memory.

use super::Class;

/// Banks.
const BANKS: usize = 32;

/// The wavefronts of an access, and the fewest that would have done: one for each part with an active lane. Addresses are
/// those of the lanes of the mask.
pub(super) fn wavefronts(class: Class, (mask, addresses): (u32, &[u64]), width: u64) -> (u32, u32) {
    // Lanes that ask for the words of one address, or for words that follow each other.
    let is_aligned = addresses.first().is_some_and(|first| first.is_multiple_of(width.max(1)));
    let is_plain = is_aligned && width <= 16 && matches!(class, Class::Single | Class::Uniform | Class::Unit);
    let part = match width {
        0..=4 => 32,
        5..=8 => 16,
        _ => 8,
    };
    let (mut rest, mut sum, mut parts) = (addresses, 0, 0);
    for first in (0..32).step_by(part) {
        let lanes = (mask >> first) & (u32::MAX >> (32 - part));
        let (own, others) = rest.split_at(rest.len().min(lanes.count_ones() as usize));
        rest = others;
        if !own.is_empty() {
            parts += 1;
            sum += if is_plain { 1 } else { of_part(own, width) };
        }
    }
    (sum, parts)
}

fn of_part(addresses: &[u64], width: u64) -> u32 {
    let mut sorted = [0; BANKS];
    sorted.iter_mut().zip(addresses).for_each(|(to, from)| *to = *from);
    let sorted = sorted.get_mut(..addresses.len().min(BANKS)).unwrap_or_default();
    if !sorted.is_sorted() {
        sorted.sort_unstable();
    }
    let (mut of_bank, mut next, mut most) = ([0_u32; BANKS], 0, 0);
    for &mut address in sorted {
        let last = address.saturating_add(width.clamp(1, 16) - 1) / 4;
        for word in (address / 4).max(next)..=last {
            let bank = usize::try_from(word % 32).unwrap_or(0);
            if let Some(count) = of_bank.get_mut(bank) {
                *count += 1;
                most = most.max(*count);
            }
            next = word + 1;
        }
    }
    most
}
