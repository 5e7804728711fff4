//! Makes a new input out of old ones: bits, bytes, tokens of YAML, numbers, copies, cuts, splices.

use crate::random::Random;

/// No input is longer, so that memory stays small.
const LONGEST: usize = 64 << 10;
/// Most are not longer than this: what breaks a reader is rarely long, and short inputs are fast.
const USUAL: usize = 2 << 10;

/// What YAML, JSON and our own language are made of.
const TOKENS: &[&str] = &[
    "\n",
    "\r\n",
    " ",
    "  ",
    "\t",
    ": ",
    ":\n",
    "- ",
    "-\n",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "[]",
    "{}",
    "\"",
    "'",
    "''",
    "\\",
    "\\u0000",
    "\\uD800",
    "|\n",
    ">\n",
    "|2-\n",
    ">+\n",
    "&a ",
    "*a",
    "<<: *a\n",
    "<<: [*a, *a]\n",
    "!!str ",
    "!!binary ",
    "!<x> ",
    "!",
    "%YAML 1.2\n---\n",
    "%TAG ! x\n",
    "---\n",
    "...\n",
    "# ",
    "#",
    "~",
    "null",
    "true",
    "false",
    "yes",
    "on",
    ".inf",
    "-.inf",
    ".nan",
    "0x",
    "0o17",
    "0b1",
    "1e999",
    "=",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\0",
    "\u{202e}",
    "é",
    "😀",
    "@",
    "`",
    "*",
    "&",
    "a",
    "=gone",
    "*>=2",
    "</script>",
    "\u{1b}[31m",
];

/// Numbers that lie at the edge of something.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "1e308",
    "1e309",
    "-0.0",
    "00",
    "0.1e-400",
    "999999999999999999999999999999999999999999",
];

/// A new input from one of the pool, changed a few times.
pub(crate) fn mutate(random: &mut Random, pool: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
    let longest = if random.below(64) == 0 { LONGEST } else { USUAL };
    let mut input = random.one_of(pool).cloned().unwrap_or_default();
    if input.len() > longest {
        let start = random.below(input.len() - longest);
        input.drain(..start);
    }
    let times = 1 << random.below(5);
    for _ in 0..times {
        input.truncate(longest);
        once(random, pool, words, &mut input);
    }
    input.truncate(longest);
    input
}

fn once(random: &mut Random, pool: &[Vec<u8>], words: &[&str], input: &mut Vec<u8>) {
    match random.below(12) {
        0 => {
            let at = random.below(input.len());
            let bit = 1 << random.below(8);
            if let Some(byte) = input.get_mut(at) {
                *byte ^= bit;
            }
        }
        1 => {
            let at = random.below(input.len() + 1);
            input.insert(at, random.next() as u8);
        }
        2 => {
            let range = random.range(input.len(), 16);
            input.drain(range);
        }
        3 | 4 => put(random, input, |random| text(random, TOKENS)),
        5 => put(random, input, |random| text(random, words)),
        6 => put(random, input, |random| text(random, NUMBERS)),
        7 => {
            // A piece once more, or very often.
            let range = random.range(input.len(), 64);
            let times = 1 << random.below(8);
            let piece = input[range.clone()].repeat(times);
            input.splice(range.end..range.end, piece);
        }
        8 => {
            let length = random.below(input.len() + 1);
            input.truncate(length);
        }
        9 => splice(random, pool, input),
        10 => move_lines(random, input),
        _ => indent(random, input),
    }
}

fn text(random: &mut Random, words: &[&str]) -> Vec<u8> {
    random.one_of(words).map(|word| word.as_bytes().to_vec()).unwrap_or_default()
}

/// Puts a piece somewhere, or in the place of something.
fn put(random: &mut Random, input: &mut Vec<u8>, piece: impl Fn(&mut Random) -> Vec<u8>) {
    let range = random.range(input.len(), 8);
    let range = if random.below(2) == 0 { range.start..range.start } else { range };
    let piece = piece(random);
    input.splice(range, piece);
}

/// The beginning of one input and the end of another.
fn splice(random: &mut Random, pool: &[Vec<u8>], input: &mut Vec<u8>) {
    let Some(other) = random.one_of(pool) else { return };
    let cut = random.below(input.len() + 1);
    let from = random.below(other.len() + 1);
    input.truncate(cut);
    input.extend_from_slice(&other[from..]);
}

/// Takes a line and puts it elsewhere.
fn move_lines(random: &mut Random, input: &mut Vec<u8>) {
    let mut lines: Vec<Vec<u8>> =
        input.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    if lines.len() > 1 {
        let line = lines.remove(random.below(lines.len()));
        let at = random.below(lines.len() + 1);
        lines.insert(at, line);
        *input = lines.concat();
    }
}

/// Moves a line to the right or to the left.
fn indent(random: &mut Random, input: &mut Vec<u8>) {
    let starts: Vec<usize> = input
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at + 1)
        .collect();
    let Some(start) = random.one_of(&starts).copied() else { return };
    if random.below(2) == 0 {
        let spaces = vec![b' '; 1 + random.below(4)];
        input.splice(start..start, spaces);
    } else {
        let spaces = input[start..].iter().take(2).take_while(|byte| **byte == b' ').count();
        input.drain(start..start + spaces);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutation_works_on_every_input() {
        let pools: [&[Vec<u8>]; 3] =
            [&[], &[Vec::new()], &[b"a:\n  - b\n".to_vec(), b"c: [1]\n".to_vec()]];
        for pool in pools {
            let mut random = Random::new(1, "test");
            let mut different = std::collections::BTreeSet::new();
            for _ in 0..2_000 {
                let input = mutate(&mut random, pool, &["word"]);
                assert!(input.len() <= LONGEST);
                different.insert(input);
            }
            assert!(different.len() > 200, "{}", different.len());
        }
    }
}
