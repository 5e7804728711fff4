//! What functions give whose arguments are known.

use crate::tree::Value;

/// The value of a call; none for a function that is not computed, or that does not take this.
pub(crate) fn function(name: &str, argument: &Value) -> Option<Value> {
    let alone = std::slice::from_ref(argument);
    let items: &[Value] = match argument {
        Value::List(items) => items,
        _ => alone,
    };
    match name {
        "concat" => concat(items),
        "join" => join(items),
        "token" => token(items),
        "length" => length(items.first()?).or_else(|| length(argument)),
        "sum" | "product" => fold(name, items),
        "difference" | "quotient" | "remainder" => of_two(name, items),
        "round" | "floor" | "ceil" => {
            let number = number(items.first()?)?;
            let whole = match name {
                "round" => number.round(),
                "floor" => number.floor(),
                _ => number.ceil(),
            };
            Some(integer(whole))
        }
        "union" | "intersection" => sets(name, items),
        "and" | "or" | "xor" => {
            let mut all = items.iter().map(truth).collect::<Option<Vec<bool>>>()?.into_iter();
            let first = all.next()?;
            Some(Value::Bool(all.fold(first, |one, other| match name {
                "and" => one && other,
                "or" => one || other,
                _ => one != other,
            })))
        }
        "not" => Some(Value::Bool(!truth(items.first()?)?)),
        "equal" => {
            let [one, other] = items else { return None };
            Some(Value::Bool(one == other))
        }
        "greater_than" | "greater_or_equal" | "less_than" | "less_or_equal" => {
            let [one, other] = items else { return None };
            let order = number(one)?.partial_cmp(&number(other)?)?;
            Some(Value::Bool(match name {
                "greater_than" => order.is_gt(),
                "greater_or_equal" => order.is_ge(),
                "less_than" => order.is_lt(),
                _ => order.is_le(),
            }))
        }
        _ => None,
    }
}

/// Arguments of functions about numbers, where scripts have written numbers as text.
pub(crate) fn as_numbers(name: &str, argument: Value) -> Value {
    const ABOUT_TEXT: &[&str] = &["concat", "join", "token", "length", "union", "intersection"];
    let number = |value: Value| match value {
        Value::Str(text) => match (text.parse::<i128>(), text.parse::<f64>()) {
            (Ok(number), _) => Value::Int(number),
            (_, Ok(number)) if number.is_finite() => Value::Float(number),
            _ => Value::Str(text),
        },
        other => other,
    };
    let are_texts = |items: &[Value]| items.iter().all(|item| matches!(item, Value::Str(_)));
    match argument {
        _ if ABOUT_TEXT.contains(&name) => argument,
        // Two texts are compared as they are.
        Value::List(items) if name == "equal" && are_texts(&items) => Value::List(items),
        Value::List(items) => Value::List(items.into_iter().map(number).collect()),
        other => number(other),
    }
}

/// A scalar as text.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Str(text) => Some(text.clone()),
        Value::Int(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

fn concat(items: &[Value]) -> Option<Value> {
    if let Some(lists) = items.iter().map(list).collect::<Option<Vec<_>>>()
        && !lists.is_empty()
    {
        return Some(Value::List(lists.concat()));
    }
    items.iter().map(text).collect::<Option<String>>().map(Value::Str)
}

fn join(items: &[Value]) -> Option<Value> {
    let (parts, between) = match items {
        [parts] => (parts, String::new()),
        [parts, between] => (parts, text(between)?),
        _ => return None,
    };
    let parts = list(parts)?.iter().map(text).collect::<Option<Vec<String>>>()?;
    Some(Value::Str(parts.join(&between)))
}

/// The part of a text with an index, parts being between any of some characters.
fn token(items: &[Value]) -> Option<Value> {
    let [whole, between, Value::Int(at)] = items else { return None };
    let (whole, between) = (text(whole)?, text(between)?);
    let mut parts = whole.split(|c| between.contains(c));
    parts.nth(usize::try_from(*at).ok()?).map(Value::from)
}

fn length(value: &Value) -> Option<Value> {
    match value {
        Value::Str(text) => Some(Value::from(text.chars().count())),
        Value::List(items) => Some(Value::from(items.len())),
        Value::Map(entries) => Some(Value::from(entries.len())),
        _ => None,
    }
}

fn fold(name: &str, items: &[Value]) -> Option<Value> {
    let whole = |value: &Value| match value {
        Value::Int(number) => Some(*number),
        _ => None,
    };
    if let Some(all) = items.iter().map(whole).collect::<Option<Vec<i128>>>() {
        let mut all = all.into_iter();
        let first = all.next()?;
        let step = |one: i128, other: i128| match name {
            "sum" => one.checked_add(other),
            _ => one.checked_mul(other),
        };
        return all.try_fold(first, step).map(Value::Int);
    }
    let all = items.iter().map(number).collect::<Option<Vec<f64>>>()?;
    let sum = all.iter().sum::<f64>();
    Some(Value::Float(if name == "sum" { sum } else { all.iter().product() }))
}

fn of_two(name: &str, items: &[Value]) -> Option<Value> {
    match (name, items) {
        ("difference", [Value::Int(one), Value::Int(other)]) => {
            one.checked_sub(*other).map(Value::Int)
        }
        ("remainder", [Value::Int(one), Value::Int(other)]) => {
            one.checked_rem(*other).map(Value::Int)
        }
        (_, [one, other]) => {
            let (one, other) = (number(one)?, number(other)?);
            let found = match name {
                "difference" => one - other,
                "quotient" => one / other,
                _ => one % other,
            };
            found.is_finite().then_some(Value::Float(found))
        }
        _ => None,
    }
}

fn sets(name: &str, items: &[Value]) -> Option<Value> {
    let lists = items.iter().map(list).collect::<Option<Vec<_>>>()?;
    let mut found: Vec<Value> = Vec::new();
    for value in lists.iter().flatten() {
        let is_in_all = || lists.iter().all(|list| list.contains(value));
        if !found.contains(value) && (name == "union" || is_in_all()) {
            found.push(value.clone());
        }
    }
    Some(Value::List(found))
}

fn list(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::List(items) => Some(items.clone()),
        _ => None,
    }
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

fn integer(number: f64) -> Value {
    if number.abs() < 1e15 { Value::Int(number as i128) } else { Value::Float(number) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(items: &[&str]) -> Value {
        Value::list(items.iter().copied())
    }

    #[test]
    fn functions_give_what_the_standard_says() {
        let call = |name: &str, items: Vec<Value>| function(name, &Value::List(items));
        let join = call("join", vec![words(&["a", "b", "c"]), "-".into()]);
        assert_eq!(join, Some("a-b-c".into()));
        assert_eq!(call("token", vec!["a-b".into(), "-".into(), 1.into()]), Some("b".into()));
        assert_eq!(call("token", vec!["a-b".into(), "-".into(), 7.into()]), None);
        assert_eq!(call("concat", vec!["a".into(), 3.into()]), Some("a3".into()));
        assert_eq!(call("length", vec![words(&["a", "b"])]), Some(2.into()));
        assert_eq!(call("sum", vec![3.into(), 4.into()]), Some(7.into()));
        assert_eq!(call("sum", vec![3.into(), Value::Float(0.5)]), Some(Value::Float(3.5)));
        assert_eq!(call("difference", vec![3.into(), 4.into()]), Some((-1).into()));
        assert_eq!(call("quotient", vec![3.into(), 0.into()]), None);
        assert_eq!(call("remainder", vec![7.into(), 4.into()]), Some(3.into()));
        assert_eq!(call("ceil", vec![Value::Float(1.2)]), Some(2.into()));
        let sets = |name: &str| call(name, vec![words(&["a", "b"]), words(&["b", "c"])]);
        assert_eq!(sets("union"), Some(words(&["a", "b", "c"])));
        assert_eq!(sets("intersection"), Some(words(&["b"])));
        assert_eq!(call("greater_than", vec![2.into(), 1.into()]), Some(Value::Bool(true)));
        assert_eq!(call("unknown", vec![2.into()]), None);
    }
}
