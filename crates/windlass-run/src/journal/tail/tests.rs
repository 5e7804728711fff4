//! What is missing in the file beside the tables is seen, unless an end of the engine or of the
//! machine explains it.

use super::*;
use crate::entry::{End, OrderId};

pub(super) fn row(seq: u64) -> Row {
    let end = End::Failed { reason: "a \n word".to_owned() };
    let entry = Entry::Outcome { order: OrderId(seq), end, witness: None };
    let body = serde_json::to_string(&entry).unwrap();
    Row { run: 1, seq, at: 7, kind: entry.kind(), body }
}

/// The used bytes of a file with six commits, and where each line of it begins.
fn written(safety: Safety, has_ended: bool) -> (Vec<u8>, Vec<usize>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    make(&path).unwrap();
    let mut tail = Tail::open(&path, &read(&path).unwrap(), 0).unwrap();
    for seq in 1..=6 {
        tail.append(vec![row(seq)], safety).unwrap();
    }
    if has_ended {
        tail.settle().unwrap();
    }
    let mut all = bytes(&path).unwrap().unwrap();
    all.truncate(usize::try_from(tail.length).unwrap());
    let ends = all.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let begins = std::iter::once(0).chain(ends).filter(|at| *at < all.len()).collect();
    (all, begins)
}

fn count(bytes: &[u8]) -> Option<usize> {
    contents(bytes).map(|it| it.records.len())
}

/// The same file after a reboot of the machine.
fn after_a_boot(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut head = Head::parse(&bytes[..LENGTH]).unwrap();
    head.boot ^= 1;
    bytes[..LENGTH].copy_from_slice(head.line().as_bytes());
    bytes
}

#[test]
fn every_change_of_a_file_whose_engine_ended_is_seen() {
    for safety in [Safety::Crash, Safety::PowerLoss] {
        let (all, _) = written(safety, true);
        for all in [all.clone(), after_a_boot(all)] {
            assert_eq!(count(&all), Some(6));
            for at in 0..all.len() {
                assert_eq!(count(&all[..at]), None, "cut off at {at}");
                for change in [0xff, 0x01, 0x20] {
                    let mut changed = all.clone();
                    changed[at] ^= change;
                    // A digit of a sum may be written in two ways.
                    let known = count(&changed);
                    assert!(known.is_none() || known == Some(6), "{at}: {known:?}");
                }
            }
        }
    }
}

#[test]
fn a_killed_engine_may_lack_the_line_that_it_wrote_and_nothing_else() {
    let (all, begins) = written(Safety::Crash, false);
    for at in 0..all.len() {
        let mut changed = all.clone();
        changed[at] = 0;
        // The end of the last one is what a kill may have left out.
        let expected = (at + 1 == all.len()).then_some(5);
        assert_eq!(count(&changed), expected, "{at} of {begins:?}");
        changed.truncate(at);
        changed.resize(all.len() + 100, 0);
        // Where a file that was not closed ends is unknown.
        let lines = begins.iter().filter(|begin| **begin <= at).count();
        assert_eq!(count(&changed), lines.checked_sub(2), "{at} of {begins:?}");
    }
}

#[test]
fn a_loss_of_power_takes_only_what_was_not_waited_for() {
    let (all, begins) = written(Safety::Crash, false);
    let mut lost = after_a_boot(all);
    lost[begins[3] + 5..begins[4]].fill(0);
    assert_eq!(count(&lost), Some(2), "the fourth line is there, and counts for nothing");
    let (all, begins) = written(Safety::PowerLoss, false);
    let mut lost = after_a_boot(all.clone());
    lost[begins[3] + 5..begins[4]].fill(0);
    assert_eq!(count(&lost), None);
    let mut lost = after_a_boot(all);
    lost[begins[6] + 5..].fill(0);
    assert_eq!(count(&lost), Some(5));
}

#[test]
fn a_line_that_is_missing_whole_is_seen() {
    let (all, begins) = written(Safety::Crash, false);
    for all in [all.clone(), after_a_boot(all)] {
        for gap in begins.windows(2).skip(1) {
            let mut without = all[..gap[0]].to_vec();
            without.extend(&all[gap[1]..]);
            let is_first = gap[0] == LENGTH;
            assert_eq!(count(&without), is_first.then_some(5), "{gap:?}");
            // What the first one follows is known when something is in the tables.
            let mut head = Head::parse(&all[..LENGTH]).unwrap();
            head.after = 1 << 40;
            without[..LENGTH].copy_from_slice(head.line().as_bytes());
            assert_eq!(count(&without), None, "{gap:?}");
        }
    }
}

#[test]
fn lines_of_another_generation_are_left_over() {
    let (mut all, _) = written(Safety::PowerLoss, false);
    let head = Head::parse(&all[..LENGTH]).unwrap().next(6);
    all[..LENGTH].copy_from_slice(head.line().as_bytes());
    assert_eq!(count(&all), Some(0));
}
