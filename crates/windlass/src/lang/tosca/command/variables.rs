//! Under which names inputs reach a script.
//!
//! A shell has variables of letters, digits and `_` only, so an input of another name gets one in
//! which everything else is `_`. The script has it by its own name, too: an environment takes any
//! name, and `env` puts it there, also where a shell stands between.

use std::collections::{BTreeMap, BTreeSet};

use super::quoted;

/// The variable of each input. One that has such a name itself is not hidden by another one that
/// only gets it; what is left without a name of its own gets an unused one.
pub(crate) fn of<'n>(names: impl Iterator<Item = &'n str>) -> BTreeMap<&'n str, String> {
    let names: BTreeSet<&str> = names.collect();
    let (plain, odd): (Vec<&str>, Vec<&str>) =
        names.into_iter().partition(|name| variable(name) == *name);
    let mut taken: BTreeSet<String> = plain.iter().map(|name| (*name).to_owned()).collect();
    let mut found: BTreeMap<&str, String> =
        plain.into_iter().map(|name| (name, name.to_owned())).collect();
    for name in odd {
        let mut wish = variable(name);
        while !taken.insert(wish.clone()) {
            wish = format!("windlass_input_{wish}");
        }
        found.insert(name, wish);
    }
    found
}

/// The words of a shell that call a script with inputs by their own names beside their variables.
pub(crate) fn given(odd: &[(&str, String)], script: &[String]) -> String {
    // What ends a name cannot be part of it.
    let fits = |name: &str| !name.is_empty() && !name.contains(['=', '\0']);
    let odd = odd.iter().filter(|(name, _)| fits(name));
    let own = odd.map(|(name, variable)| format!("{}\"${variable}\"", quoted(&format!("{name}="))));
    let own: Vec<String> = own.collect();
    let env = (!own.is_empty()).then(|| "env".to_owned());
    let script = script.iter().map(|word| quoted(word));
    env.into_iter().chain(own).chain(script).collect::<Vec<_>>().join(" ")
}

/// The name of an environment variable that every shell takes.
fn variable(name: &str) -> String {
    let good = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let plain: String = name.chars().map(good).collect();
    if plain.starts_with(|c: char| c.is_ascii_digit()) { format!("_{plain}") } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_has_a_variable_of_its_own() {
        let found = of(["db-host", "db.host", "db_host", "port", "1st"].into_iter());
        assert_eq!(found["db_host"], "db_host");
        assert_eq!(found["port"], "port");
        assert_eq!(found["1st"], "_1st");
        let all: BTreeSet<&String> = found.values().collect();
        assert_eq!(all.len(), found.len(), "{found:?}");
        assert_eq!(of(["db-host"].into_iter())["db-host"], "db_host");
    }

    #[test]
    fn names_that_no_shell_takes_are_given_by_env() {
        let script = ["bash".to_owned(), "a b.sh".to_owned()];
        assert_eq!(given(&[], &script), "'bash' 'a b.sh'");
        let odd = [("db-host", "db_host".to_owned()), ("a=b", "a_b".to_owned())];
        assert_eq!(given(&odd, &script), "env 'db-host='\"$db_host\" 'bash' 'a b.sh'");
    }
}
