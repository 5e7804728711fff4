//! The memoised verdicts against the ones without any memory, on tiny random plans.

use super::judged_with;
use crate::naive::Verdict;
use windlass::application::Policy::{Any, Greedy, LeastLoaded};

/// A linear congruential generator: the same plans every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const APPLICATION: &str = "
    node host
      state off
      state on offers place
      start off -> on
      stop on -> off
    node db
      needs place host.place containment
      state off
      state on needs place offers sql else off
      start off -> on needs place else off
      stop on -> off needs place else off
    node user
      needs tight db.sql aware
      needs loose db.sql unaware
      state off
      state half needs loose else off
      state on needs tight loose else half off
      start off -> half needs loose else off
      connect half -> on needs loose else off
      stop on -> off
      stop half -> off
";

const ACTIONS: [&str; 16] = [
    "h1 start",
    "h1 stop",
    "d1 start",
    "d1 stop",
    "d2 start",
    "d2 stop",
    "u1 start",
    "u1 connect",
    "u1 stop",
    "- h1",
    "- d1",
    "- u1",
    "+ h1 host",
    "+ d1 db @ h1",
    "+ d3 db @ h2",
    "+ u1 user",
];

const STARTS: [&str; 4] = [
    "h1:host=on h2:host=on d1:db=on@h1 d2:db=on@h2 u1:user=on u1.tight>d1 u1.loose>d2",
    "h1:host=on h2:host=on d1:db=on@h1 d2:db=on@h2 u1:user=half u1.loose>d1",
    "h1:host=off h2:host=on d1:db=off@h1 d2:db=on@h2 u1:user=off",
    "h1:host=on h2:host=on d1:db=on@h1 d2:db=on@h2 u1:user=on",
];

/// Both say the same about every plan (asserted in `judged_with`), and all verdicts occur.
#[test]
fn with_and_without_memory() {
    let mut random = Random(42);
    let mut verdicts = Vec::new();
    for _ in 0..600 {
        let steps = 1 + random.below(4);
        let mut plan = Vec::new();
        for at in 0..steps {
            plan.push(format!("s{at}: {}", random.pick(&ACTIONS)));
        }
        for after in 1..steps {
            for before in 0..after {
                if random.below(2) == 0 {
                    plan.push(format!("s{before} < s{after}"));
                }
            }
        }
        let policy = [Any, Greedy, LeastLoaded][random.below(3)];
        verdicts.push(
            judged_with(APPLICATION, random.pick(&STARTS), &plan.join(" ; "), policy).verdict,
        );
    }
    for verdict in [Verdict::Valid, Verdict::WeaklyValid, Verdict::NotValid] {
        assert!(verdicts.iter().filter(|v| **v == verdict).count() >= 20, "{verdict:?}");
    }
}
