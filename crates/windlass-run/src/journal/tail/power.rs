//! The file on a disk that loses power. Between two waits for the disk every page may reach it or
//! not, as it was at any moment in between, and so may the length of the file. What was waited
//! for has to be there, and nothing that is missing may count as damage.

use std::cell::RefCell;
use std::rc::Rc;

use super::tests::row;
use super::*;

const PAGE: usize = 4096;

/// What the file was after each call since the last wait, the first as it was then.
#[derive(Debug, Clone)]
struct Disk(Rc<RefCell<Vec<Vec<u8>>>>);

impl Disk {
    fn change(&self, change: impl FnOnce(&mut Vec<u8>)) {
        let mut moments = self.0.borrow_mut();
        let mut next = moments.last().cloned().unwrap_or_default();
        change(&mut next);
        moments.push(next);
    }

    fn now(&self) -> Vec<u8> {
        self.0.borrow().last().cloned().unwrap_or_default()
    }

    /// What a loss of power leaves.
    fn after_power_loss(&self, dice: &mut Dice) -> Vec<u8> {
        let moments = self.0.borrow();
        let at = dice.below(moments.len());
        let mut left = vec![0; moments[at].len()];
        for (number, page) in left.chunks_mut(PAGE).enumerate() {
            let seen = dice.below(moments.len());
            let begins = number * PAGE;
            // What was cut off in between is gone.
            let (from, to) = (seen.min(at), seen.max(at));
            let shortest = moments[from..=to].iter().map(Vec::len).min().unwrap_or_default();
            let text = &moments[seen][begins.min(shortest)..(begins + page.len()).min(shortest)];
            page[..text.len()].copy_from_slice(text);
        }
        left
    }
}

impl Medium for Disk {
    fn write_all_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        let at = usize::try_from(at).unwrap();
        self.change(|file| {
            file.resize(file.len().max(at + bytes.len()), 0);
            file[at..at + bytes.len()].copy_from_slice(bytes);
        });
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.change(|file| file.resize(usize::try_from(length).unwrap(), 0));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let now = self.now();
        *self.0.borrow_mut() = vec![now];
        Ok(())
    }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

/// Where an entry of the only run stands.
fn place(number: u64) -> u64 {
    if number == 0 { 0 } else { (1 << 40) + number }
}

/// Engines one after the other on one file, each of which ends in one of the ways in which engines
/// end; how often power was lost.
fn lives(seed: u64) -> usize {
    let mut dice = Dice(seed);
    let disk = Disk(Rc::new(RefCell::new(vec![Vec::new()])));
    begin(&disk, Head::default()).unwrap();
    // The last entry in the tables, and the last that was waited for.
    let (mut tables, mut promised, mut losses) = (0, 0, 0);
    for life in 0..12 {
        let all = disk.now();
        let before = contents(&all).unwrap_or_else(|| panic!("seed {seed}, life {life}: damaged"));
        before.follows(place(tables)).unwrap();
        let known = before.records.last().map_or(0, |record| record.seq).max(tables);
        assert!(known >= promised, "seed {seed}, life {life}: {promised} of {known}");
        // What is in the file is taken over, and what was lost is decided again.
        (tables, promised) = (known, known);
        let mut next = known + 1;
        let mut tail = Tail::on(disk.clone(), &before, place(tables)).unwrap();
        for _ in 0..dice.below(40) {
            let rows: Vec<Row> = (0..=dice.below(30)).map(|at| row(next + at as u64)).collect();
            next += rows.len() as u64;
            let safety = [Safety::Crash, Safety::Crash, Safety::PowerLoss][dice.below(3)];
            tail.append(rows, safety).unwrap();
            if safety == Safety::PowerLoss {
                promised = next - 1;
            }
            if dice.below(30) == 0 {
                (tables, promised) = (next - 1, next - 1);
                tail.clear(place(tables)).unwrap();
            }
        }
        if dice.below(2) == 0 {
            tail.settle().unwrap();
            promised = next - 1;
        }
        if dice.below(2) == 0 {
            let mut left = disk.after_power_loss(&mut dice);
            // The machine is rebooted: another boot than that of the head.
            let mut head = Head::parse(&left[..LENGTH]).unwrap();
            head.boot ^= 1;
            left[..LENGTH].copy_from_slice(head.line().as_bytes());
            *disk.0.borrow_mut() = vec![left];
            losses += 1;
        } else {
            promised = next - 1;
        }
    }
    losses
}

#[test]
fn no_loss_of_power_is_damage_and_none_takes_what_was_waited_for() {
    let losses: usize = (0..300).map(lives).sum();
    assert!(losses > 1_000, "{losses}");
}
