//! A regular expression as a machine that is made while it runs: a name costs its length, whatever the pattern.
//!
//! `regex-lite` follows all ways through a pattern at once, letter by letter, which takes seconds for a hundred thousand
//! names. Here each set of ways that was met is remembered as a state, with the state that follows on each kind of letter.
//! What is rare in a search (flags, classes of classes) is left to `regex-lite`.
//!
//! `regex-automata` does the same, but weighs 229 kB of wasm with its parser (hybrid engine, no Unicode tables, after
//! wasm-opt) where `regex-lite` weighs 72 kB; and without those tables it refuses `\w` and flags beside other letters.

use super::pattern::{Assert, Letters, Part, Reader, WORDS, after, holds};
use crate::base::map::Map;
use crate::base::order;
use std::cell::RefCell;

/// Most steps of a program; larger patterns are left to others.
const MAX_STEPS: usize = 2_000;
/// Most states remembered; then it begins anew.
const MAX_STATES: usize = 4_000;
/// The kind that stands for the end of the text.
const END: usize = 0;
/// State 0: the text matches, whatever follows.
const FOUND: u32 = 0;
const UNKNOWN: u32 = u32::MAX;

/// One step of the program.
enum Step {
    Letters(Letters),
    Assert(Assert),
    Split(usize, usize),
    Jump(usize),
    Found,
}

/// The machine.
pub(super) struct Automaton {
    steps: Vec<Step>,
    /// First letters of the kinds, in order; kind `n + 1` reaches from the n-th to before the next.
    kinds: Vec<char>,
    ascii: [u16; 128],
    made: RefCell<Made>,
}

/// States that were met.
#[derive(Default)]
struct Made {
    /// What a state is: the steps to go on with, and what stands before: nothing, a letter of a word, another.
    states: Vec<(Vec<usize>, u8)>,
    numbers: Map<(Vec<usize>, u8), u32>,
    /// By state and kind.
    next: Vec<u32>,
}

const NOTHING: u8 = 0;
const WORD: u8 = 1;
const OTHER: u8 = 2;

impl Automaton {
    /// Makes the machine of a pattern that `regex-lite` takes; `None` when it has something that is not known here.
    pub(super) fn new(pattern: &str, is_case_sensitive: bool) -> Option<Self> {
        let part = Reader::read(pattern, !is_case_sensitive)?;
        let mut steps = Vec::new();
        write(&part, &mut steps)?;
        steps.push(Step::Found);
        let mut kinds = vec!['\0'];
        let mut edge = |(from, to): (char, char)| {
            kinds.push(from);
            kinds.extend(after(to));
        };
        WORDS.into_iter().for_each(&mut edge);
        for step in &steps {
            if let Step::Letters(letters) = step {
                letters.iter().copied().for_each(&mut edge);
            }
        }
        order::sort(&mut kinds);
        kinds.dedup();
        let mut ascii = [0; 128];
        for (letter, kind) in (0u8..).zip(&mut ascii) {
            *kind = kinds.partition_point(|first| *first <= char::from(letter)) as u16;
        }
        Some(Self { steps, kinds, ascii, made: RefCell::default() })
    }

    /// Whether the pattern is somewhere in a text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let made = &mut *self.made.borrow_mut();
        let mut state = self.number(made, (vec![0], NOTHING));
        let letters = text.chars().map(|letter| match self.ascii.get(letter as usize) {
            Some(&kind) => usize::from(kind),
            None => self.kinds.partition_point(|first| *first <= letter),
        });
        for kind in letters.chain([END]) {
            let at = state as usize * (self.kinds.len() + 1) + kind;
            let mut next = made.next[at];
            if next == UNKNOWN {
                let key = self.follow(&made.states[state as usize], kind);
                if MAX_STATES < made.states.len() {
                    *made = Made::default();
                    next = self.number(made, key);
                } else {
                    next = self.number(made, key);
                    made.next[at] = next;
                }
            }
            if next == FOUND {
                return true;
            }
            state = next;
        }
        false
    }

    /// The number of a state; no steps at all mean that it was found.
    fn number(&self, made: &mut Made, key: (Vec<usize>, u8)) -> u32 {
        if made.states.is_empty() {
            made.states.push((Vec::new(), OTHER));
            made.next.resize(self.kinds.len() + 1, FOUND);
        }
        if key.0.is_empty() {
            return FOUND;
        }
        if let Some(&number) = made.numbers.get(&key) {
            return number;
        }
        let number = made.states.len() as u32;
        made.states.push(key.clone());
        made.next.resize(made.states.len() * (self.kinds.len() + 1), UNKNOWN);
        made.numbers.insert(key, number);
        number
    }

    /// What a state becomes by a letter of a kind; no steps when it was found before the letter.
    fn follow(&self, (from, before): &(Vec<usize>, u8), kind: usize) -> (Vec<usize>, u8) {
        let letter = kind.checked_sub(1).and_then(|at| self.kinds.get(at)).copied();
        let is_word = letter.is_some_and(|letter| holds(&WORDS, letter));
        let mut open = from.clone();
        let mut seen = vec![false; self.steps.len()];
        let mut next = vec![0];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            match &self.steps[at] {
                Step::Found => return (Vec::new(), OTHER),
                Step::Jump(to) => open.push(*to),
                Step::Split(a, b) => open.extend([*a, *b]),
                Step::Letters(letters) => {
                    if letter.is_some_and(|letter| holds(letters, letter)) {
                        next.push(at + 1);
                    }
                }
                Step::Assert(assert) => {
                    let holds = match assert {
                        Assert::Start => *before == NOTHING,
                        Assert::End => letter.is_none(),
                        Assert::Word(is_edge) => ((*before == WORD) != is_word) == *is_edge,
                    };
                    if holds {
                        open.push(at + 1);
                    }
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        (next, if is_word { WORD } else { OTHER })
    }
}

/// Appends the steps of a part; `None` when they become too many.
fn write(part: &Part, steps: &mut Vec<Step>) -> Option<()> {
    if MAX_STEPS < steps.len() {
        return None;
    }
    match part {
        Part::Letters(letters) => steps.push(Step::Letters(letters.clone())),
        Part::Assert(assert) => steps.push(Step::Assert(*assert)),
        Part::Chain(parts) => parts.iter().try_for_each(|part| write(part, steps))?,
        Part::Either(parts) => {
            let mut ends = Vec::new();
            for (i, part) in parts.iter().enumerate() {
                let split = steps.len();
                if i + 1 < parts.len() {
                    steps.push(Step::Split(split + 1, 0));
                }
                write(part, steps)?;
                if i + 1 < parts.len() {
                    ends.push(steps.len());
                    steps.push(Step::Jump(0));
                    steps[split] = Step::Split(split + 1, steps.len());
                }
            }
            let end = steps.len();
            for at in ends {
                steps[at] = Step::Jump(end);
            }
        }
        Part::Repeat(part, least, most) => {
            for _ in 0..*least {
                write(part, steps)?;
            }
            let start = steps.len();
            for _ in *least..most.unwrap_or(least + 1) {
                let split = steps.len();
                steps.push(Step::Split(split + 1, 0));
                write(part, steps)?;
                if most.is_none() {
                    steps.push(Step::Jump(start));
                }
                steps[split] = Step::Split(split + 1, steps.len());
            }
        }
    }
    Some(())
}
