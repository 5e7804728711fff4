//! The type of a scalar: null, boolean, number or text.
//!
//! The languages are read by loaders that disagree, so the choice is a [`Schema`] and not the
//! parser's. Sources: YAML 1.2.2 section 10.3.2 (core schema); the YAML 1.1 type repository as
//! the Python loader implements it; the resolver of the Go loader.

/// Which plain scalars are numbers, booleans and null.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Schema {
    /// YAML 1.2 core schema: `true`, `0o17`, `0x1f`; `yes`, `017` and `1_000` are not special
    /// (`017` is the decimal number 17).
    #[default]
    Core,
    /// YAML 1.1 as Python reads it: `yes` and `on` are booleans, `017` is octal, `1:30` is
    /// ninety, `1_000` is a number, `1e3` is text.
    Yaml11,
    /// As the Go loader of Compose reads it: the booleans of 1.2, `017` is octal, `1_000` is a
    /// number, `1e400` is text.
    Go,
}

/// The value of a scalar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar<'t> {
    /// `null`, `~` or nothing at all.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// An integer too large for [`Scalar::Int`], as it is written.
    BigInt(&'t str),
    /// Any other number.
    Float(f64),
    /// Text.
    Str(&'t str),
}

impl Scalar<'_> {
    /// What it is, for messages: "a number".
    pub(crate) fn kind_name(&self) -> &'static str {
        match self {
            Scalar::Null => "null",
            Scalar::Bool(_) => "a boolean",
            Scalar::Int(_) | Scalar::BigInt(_) => "an integer",
            Scalar::Float(_) => "a number",
            Scalar::Str(_) => "a string",
        }
    }
}

impl Schema {
    /// The value of a plain scalar without a tag.
    pub(crate) fn resolve(self, text: &str) -> Scalar<'_> {
        let Some(first) = text.bytes().next() else { return Scalar::Null };
        match first {
            b'0'..=b'9' | b'+' | b'-' | b'.' => {
                integer(self, text).or_else(|| float(self, text)).unwrap_or(Scalar::Str(text))
            }
            b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'y' | b'Y' | b'o' | b'O' => {
                word(self, text)
            }
            _ => Scalar::Str(text),
        }
    }

    /// The value of a scalar with the tag `!!int`, `!!float`, `!!bool` or `!!null`, whose text
    /// may be quoted. A text that does not fit the tag is text.
    pub(super) fn resolve_tagged<'t>(self, tag: &str, text: &'t str) -> Scalar<'t> {
        let value = self.resolve(text);
        match (tag, value) {
            ("!!int", Scalar::Int(_) | Scalar::BigInt(_))
            | ("!!float", Scalar::Float(_))
            | ("!!bool", Scalar::Bool(_))
            | ("!!null", Scalar::Null) => value,
            ("!!float", Scalar::Int(number)) => Scalar::Float(number as f64),
            ("!!float", Scalar::BigInt(number)) => {
                number.parse().map_or(Scalar::Str(text), Scalar::Float)
            }
            _ => Scalar::Str(text),
        }
    }
}

fn word(schema: Schema, text: &str) -> Scalar<'_> {
    match text {
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "true" | "True" | "TRUE" => Scalar::Bool(true),
        "false" | "False" | "FALSE" => Scalar::Bool(false),
        "yes" | "Yes" | "YES" | "on" | "On" | "ON" if schema == Schema::Yaml11 => {
            Scalar::Bool(true)
        }
        "no" | "No" | "NO" | "off" | "Off" | "OFF" if schema == Schema::Yaml11 => {
            Scalar::Bool(false)
        }
        _ => Scalar::Str(text),
    }
}

/// The sign and what follows it.
fn sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

fn integer(schema: Schema, text: &str) -> Option<Scalar<'_>> {
    let (negative, body) = sign(text);
    if schema == Schema::Yaml11 && body.contains(':') {
        return sexagesimal_integer(negative, body);
    }
    let (radix, digits) = radix_and_digits(schema, body, body.len() != text.len())?;
    let underscores = schema != Schema::Core;
    let mut value: Option<i128> = Some(0);
    let mut seen = false;
    for byte in digits.bytes() {
        if byte == b'_' && underscores {
            continue;
        }
        let digit = char::from(byte).to_digit(radix)?;
        seen = true;
        value = value
            .and_then(|value| value.checked_mul(i128::from(radix)))
            .and_then(|value| value.checked_add(i128::from(digit)));
    }
    if !seen {
        return None;
    }
    Some(match value {
        Some(value) if negative => Scalar::Int(-value),
        Some(value) => Scalar::Int(value),
        None => Scalar::BigInt(text),
    })
}

/// Which notation of integers the schema knows: the radix, and the text that holds the digits.
fn radix_and_digits(schema: Schema, body: &str, signed: bool) -> Option<(u32, &str)> {
    let (radix, digits) = match body.as_bytes() {
        // The core schema has a sign only before decimal integers.
        [b'0', b'x' | b'o', _, ..] if schema == Schema::Core && signed => return None,
        [b'0', b'x', _, ..] => (16, &body[2..]),
        [b'0', b'o', _, ..] if schema != Schema::Yaml11 => (8, &body[2..]),
        [b'0', b'b', _, ..] if schema != Schema::Core => (2, &body[2..]),
        [b'0', _, ..] if schema != Schema::Core => (8, &body[1..]),
        _ => (10, body),
    };
    (radix != 10 || digits.bytes().next()?.is_ascii_digit()).then_some((radix, digits))
}

/// `1:30` and `-1:00:00` of YAML 1.1.
fn sexagesimal_integer(negative: bool, body: &str) -> Option<Scalar<'_>> {
    let mut parts = body.split(':');
    let first = parts.next()?;
    let starts_well = matches!(first.as_bytes().first(), Some(b'1'..=b'9'));
    if !starts_well || !first.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
        return None;
    }
    let mut value: i128 = first.replace('_', "").parse().ok()?;
    for part in parts {
        value = value.checked_mul(60)?.checked_add(sixtieths(part)?)?;
    }
    Some(Scalar::Int(if negative { -value } else { value }))
}

/// One or two digits below sixty.
fn sixtieths(part: &str) -> Option<i128> {
    let fits = matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
    if fits { part.parse().ok() } else { None }
}

fn float(schema: Schema, text: &str) -> Option<Scalar<'_>> {
    let (negative, body) = sign(text);
    match body {
        ".inf" | ".Inf" | ".INF" => {
            return Some(Scalar::Float(if negative { f64::NEG_INFINITY } else { f64::INFINITY }));
        }
        ".nan" | ".NaN" | ".NAN" if body.len() == text.len() => {
            return Some(Scalar::Float(f64::NAN));
        }
        _ => {}
    }
    if schema == Schema::Yaml11 && body.contains(':') {
        return sexagesimal_float(negative, body);
    }
    float_notation(schema, body)?;
    let number: f64 =
        if body.contains('_') { text.replace('_', "").parse().ok()? } else { text.parse().ok()? };
    // Go finds that the number does not fit, and has a text then.
    let is_text = schema == Schema::Go && number.is_infinite();
    (!is_text).then_some(Scalar::Float(number))
}

/// Whether a text is digits, a dot, digits and an exponent, as the schema wants them.
fn float_notation(schema: Schema, body: &str) -> Option<()> {
    let underscores = schema != Schema::Core;
    let is_digit = |byte: &u8| byte.is_ascii_digit() || (underscores && *byte == b'_');
    let bytes = body.as_bytes();
    let whole = bytes.iter().take_while(|byte| is_digit(byte)).count();
    let mut rest = &bytes[whole..];
    let has_dot = rest.first() == Some(&b'.');
    let mut fraction = 0;
    if has_dot {
        rest = &rest[1..];
        fraction = rest.iter().take_while(|byte| is_digit(byte)).count();
        rest = &rest[fraction..];
    }
    let digits = bytes[..whole + usize::from(has_dot) + fraction].iter();
    if !digits.clone().any(u8::is_ascii_digit) || bytes.first() == Some(&b'_') {
        return None;
    }
    // The Python loader wants a dot in every float and a sign in every exponent.
    let strict = schema == Schema::Yaml11;
    if strict && !has_dot {
        return None;
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let unsigned = match exponent {
            [b'+' | b'-', digits @ ..] => digits,
            _ if strict => return None,
            digits => digits,
        };
        rest = if unsigned.is_empty() { return None } else { unsigned };
        return rest.iter().all(u8::is_ascii_digit).then_some(());
    }
    rest.is_empty().then_some(())
}

/// `1:30.5` of YAML 1.1.
fn sexagesimal_float(negative: bool, body: &str) -> Option<Scalar<'_>> {
    let (whole, fraction) = body.split_once('.')?;
    let Some(Scalar::Int(whole)) = sexagesimal_integer(false, whole) else { return None };
    if !fraction.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
        return None;
    }
    let part: f64 = format!("0.{}", fraction.replace('_', "")).parse().ok()?;
    let value = whole as f64 + part;
    Some(Scalar::Float(if negative { -value } else { value }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(schema: Schema, text: &str, expected: Scalar<'_>) {
        assert_eq!(schema.resolve(text), expected, "{text} as {schema:?}");
    }

    #[test]
    fn core_schema_follows_yaml_1_2() {
        for text in ["", "~", "null", "Null", "NULL"] {
            check(Schema::Core, text, Scalar::Null);
        }
        check(Schema::Core, "True", Scalar::Bool(true));
        check(Schema::Core, "017", Scalar::Int(17));
        check(Schema::Core, "0o17", Scalar::Int(15));
        check(Schema::Core, "0x1F", Scalar::Int(31));
        check(Schema::Core, "-12", Scalar::Int(-12));
        check(Schema::Core, "+12", Scalar::Int(12));
        check(Schema::Core, "1.", Scalar::Float(1.0));
        check(Schema::Core, ".5", Scalar::Float(0.5));
        check(Schema::Core, "1e3", Scalar::Float(1000.0));
        check(Schema::Core, "-.inf", Scalar::Float(f64::NEG_INFINITY));
        for text in [
            "yes", "on", "1_000", "-0x1", "0b1", ".", "-", "+", "1:30", "e3", "1e", "1.2.3", "10s",
            "-.nan", "inf", "nan", "infinity", "_1", "0x", "0o", "0o8", "nULL", "1e+", "--1",
            "+-1",
        ] {
            check(Schema::Core, text, Scalar::Str(text));
        }
        let large = "9".repeat(60);
        check(Schema::Core, &large, Scalar::BigInt(&large));
        assert!(matches!(Schema::Core.resolve(".NaN"), Scalar::Float(n) if n.is_nan()));
    }

    #[test]
    fn yaml_1_1_is_what_the_python_loader_reads() {
        check(Schema::Yaml11, "yes", Scalar::Bool(true));
        check(Schema::Yaml11, "Off", Scalar::Bool(false));
        check(Schema::Yaml11, "017", Scalar::Int(15));
        check(Schema::Yaml11, "-0x1f", Scalar::Int(-31));
        check(Schema::Yaml11, "0b101", Scalar::Int(5));
        check(Schema::Yaml11, "1_000", Scalar::Int(1000));
        check(Schema::Yaml11, "1:30", Scalar::Int(90));
        check(Schema::Yaml11, "-1:00:01", Scalar::Int(-3601));
        check(Schema::Yaml11, "1:30.5", Scalar::Float(90.5));
        check(Schema::Yaml11, "1.5e+3", Scalar::Float(1500.0));
        for text in ["y", "n", "1e3", "1.5e3", "0o17", "22:80", "08", "1:60", "0:1:2"] {
            check(Schema::Yaml11, text, Scalar::Str(text));
        }
    }

    #[test]
    fn go_reads_octal_and_underscores_but_no_yes() {
        check(Schema::Go, "0644", Scalar::Int(420));
        check(Schema::Go, "0o644", Scalar::Int(420));
        check(Schema::Go, "1_000", Scalar::Int(1000));
        check(Schema::Go, "1e3", Scalar::Float(1000.0));
        check(Schema::Go, "yes", Scalar::Str("yes"));
        check(Schema::Go, "22:22", Scalar::Str("22:22"));
        check(Schema::Go, "08", Scalar::Float(8.0));
        check(Schema::Go, "1e400", Scalar::Str("1e400"));
        check(Schema::Go, "-.5e999", Scalar::Str("-.5e999"));
        check(Schema::Go, "-.inf", Scalar::Float(f64::NEG_INFINITY));
        check(Schema::Core, "1e400", Scalar::Float(f64::INFINITY));
    }
}
