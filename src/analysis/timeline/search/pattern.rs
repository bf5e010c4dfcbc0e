//! Reads a regular expression into its parts.

use crate::base::order;

/// Ranges of letters, both ends included.
pub(super) type Letters = Vec<(char, char)>;

/// A part of a pattern.
pub(super) enum Part {
    Letters(Letters),
    Assert(Assert),
    Chain(Vec<Part>),
    Either(Vec<Part>),
    Repeat(Box<Part>, usize, Option<usize>),
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Assert {
    Start,
    End,
    /// Between a letter of a word and something else, or not so.
    Word(bool),
}

/// Reads a pattern.
pub(super) struct Reader {
    rest: Vec<char>,
    at: usize,
    /// Whether capitals do not matter.
    folds: bool,
}

impl Reader {
    /// The parts of a pattern that `regex-lite` takes; `None` when it has something that is not known here.
    pub(super) fn read(pattern: &str, folds: bool) -> Option<Part> {
        let mut reader = Self { rest: pattern.chars().collect(), at: 0, folds };
        let part = reader.either()?;
        (reader.at == reader.rest.len()).then_some(part)
    }

    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn next(&mut self) -> Option<char> {
        self.at += 1;
        self.rest.get(self.at - 1).copied()
    }

    fn either(&mut self) -> Option<Part> {
        let mut parts = vec![self.chain()?];
        while self.take('|') {
            parts.push(self.chain()?);
        }
        Some(Part::Either(parts))
    }

    fn chain(&mut self) -> Option<Part> {
        let mut parts = Vec::new();
        while self.peek().is_some_and(|c| c != '|' && c != ')') {
            let mut part = self.one()?;
            while let Some((least, most)) = self.repeat()? {
                part = Part::Repeat(Box::new(part), least, most);
            }
            parts.push(part);
        }
        Some(Part::Chain(parts))
    }

    /// How often the part before is repeated; whether it takes much or little does not matter here.
    #[expect(clippy::option_option)] // not known here, or not repeated
    fn repeat(&mut self) -> Option<Option<(usize, Option<usize>)>> {
        let range = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let end = self.rest[self.at..].iter().position(|&c| c == '}')? + self.at;
                let text: String = self.rest[self.at + 1..end].iter().collect();
                self.at = end;
                match text.split_once(',') {
                    None => (text.parse().ok()?, Some(text.parse().ok()?)),
                    Some((least, "")) => (least.parse().ok()?, None),
                    Some((least, most)) => (least.parse().ok()?, Some(most.parse().ok()?)),
                }
            }
            _ => return Some(None),
        };
        self.at += 1;
        self.take('?');
        Some(Some(range))
    }

    fn one(&mut self) -> Option<Part> {
        Some(match self.next()? {
            '(' => {
                if self.take('?') && !self.take(':') {
                    return None;
                }
                let part = self.either()?;
                self.take(')').then_some(part)?
            }
            '[' => Part::Letters(self.class()?),
            '.' => Part::Letters(others(vec![('\n', '\n')])),
            '^' => Part::Assert(Assert::Start),
            '$' => Part::Assert(Assert::End),
            '\\' => match self.peek()? {
                'b' | 'B' => Part::Assert(Assert::Word(self.next()? == 'b')),
                _ => Part::Letters(self.escape()?),
            },
            letter => Part::Letters(self.fold(vec![(letter, letter)])),
        })
    }

    /// What stands behind a backslash.
    fn escape(&mut self) -> Option<Letters> {
        let letter = match self.next()? {
            'd' => return Some(DIGITS.to_vec()),
            'D' => return Some(others(DIGITS.to_vec())),
            'w' => return Some(WORDS.to_vec()),
            'W' => return Some(others(WORDS.to_vec())),
            's' => return Some(SPACES.to_vec()),
            'S' => return Some(others(SPACES.to_vec())),
            'n' => '\n',
            't' => '\t',
            letter if letter.is_ascii_punctuation() && letter != '<' && letter != '>' => letter,
            _ => return None,
        };
        Some(vec![(letter, letter)])
    }

    fn class(&mut self) -> Option<Letters> {
        let is_other = self.take('^');
        let mut letters = Vec::new();
        loop {
            let first = match self.next()? {
                ']' if !letters.is_empty() => break,
                // Classes in classes, their operators, and signs that stand for themselves at an end.
                '[' | ']' | '-' | '&' | '~' => return None,
                '\\' => {
                    let escaped = self.escape()?;
                    letters.extend(&escaped);
                    if self.peek() == Some('-') {
                        return None;
                    }
                    continue;
                }
                letter => letter,
            };
            if !self.take('-') {
                letters.push((first, first));
                continue;
            }
            match self.next()? {
                '[' | ']' | '-' | '\\' | '&' | '~' => return None,
                last => letters.push((first, last)),
            }
        }
        let letters = self.fold(letters);
        Some(if is_other { others(letters) } else { letters })
    }

    /// Adds the small and capital letters of ASCII ones when capitals do not matter.
    fn fold(&self, mut letters: Letters) -> Letters {
        let n = if self.folds { letters.len() } else { 0 };
        for i in 0..n {
            let (from, to) = letters[i];
            for (small, capital) in [('a', 'A'), ('A', 'a')] {
                let (first, last) = (small.max(from), to.min(char::from(small as u8 + 25)));
                if first <= last {
                    let other = |letter: char| char::from(letter as u8 - small as u8 + capital as u8);
                    letters.push((other(first), other(last)));
                }
            }
        }
        letters
    }
}

/// Letters of words.
pub(super) const WORDS: [(char, char); 4] = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
const DIGITS: [(char, char); 1] = [('0', '9')];
const SPACES: [(char, char); 2] = [('\t', '\r'), (' ', ' ')];

/// Whether a letter is among these.
pub(super) fn holds(letters: &[(char, char)], letter: char) -> bool {
    letters.iter().any(|&(from, to)| from <= letter && letter <= to)
}

/// The next letter.
pub(super) fn after(letter: char) -> Option<char> {
    (letter..=char::MAX).nth(1)
}

/// All letters that are not among these.
fn others(mut letters: Letters) -> Letters {
    order::sort(&mut letters);
    let mut rest = Vec::new();
    let mut from = Some('\0');
    for (first, last) in letters {
        let Some(start) = from else { break };
        if start < first {
            rest.extend((start..first).next_back().map(|end| (start, end)));
        }
        if start <= last {
            from = after(last);
        }
    }
    rest.extend(from.map(|start| (start, char::MAX)));
    rest
}
