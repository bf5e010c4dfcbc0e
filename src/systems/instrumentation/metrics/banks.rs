//! Conflicts of the banks of shared memory: 32 banks, each gives one word of 4 bytes in a pass.

use super::Class;

/// Banks.
const BANKS: usize = 32;

/// The most distinct words of one bank that one part of the access asks for. Lanes of 16 bytes go a quarter of the warp at a
/// time, those of 8 a half. Addresses are those of the lanes of the mask.
pub(super) fn passes(class: Class, (mask, addresses): (u32, &[u64]), width: u64) -> u32 {
    // Lanes that ask for the words of one address, or for words that follow each other.
    let is_aligned = addresses.first().is_some_and(|first| first.is_multiple_of(width.max(1)));
    if is_aligned && width <= 16 && matches!(class, Class::Single | Class::Uniform | Class::Unit) {
        return 1;
    }
    let part = match width {
        0..=4 => 32,
        5..=8 => 16,
        _ => 8,
    };
    let (mut rest, mut most) = (addresses, 0);
    for first in (0..32).step_by(part) {
        let lanes = (mask >> first) & (u32::MAX >> (32 - part));
        let (own, others) = rest.split_at(rest.len().min(lanes.count_ones() as usize));
        rest = others;
        most = most.max(of_part(own, width));
    }
    most
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
