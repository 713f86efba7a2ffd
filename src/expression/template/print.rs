//! Formats values as Go's fmt package does (fmt/print.go, fmt/format.go).

use super::float;
use super::value::Value;
use text::go;

/// The maximum length of a string that a function creates, in bytes.
pub(super) const MAX_STRING: usize = 1 << 26;

/// The result of `print`: blanks separate arguments if neither is a string.
pub(super) fn sprint(arguments: &[Value<'_>]) -> Result<Vec<u8>, String> {
    let mut printer = Printer::default();
    printer.print(arguments)?;
    Ok(printer.out)
}

/// The result of `println`: blanks separate all arguments, and a line break follows.
pub(super) fn sprintln(arguments: &[Value<'_>]) -> Result<Vec<u8>, String> {
    let mut printer = Printer::default();
    for (at, argument) in arguments.iter().enumerate() {
        if at > 0 {
            printer.out.push(b' ');
        }
        printer.argument(&argument.clone().elem(), 'v')?;
    }
    printer.out.push(b'\n');
    Ok(printer.out)
}

/// The result of `printf` for a format and its values.
pub(super) fn sprintf(arguments: &[Value<'_>]) -> Result<Vec<u8>, String> {
    let mut printer = Printer::default();
    if let Some((Value::String(format), values)) = arguments.split_first() {
        let values: Vec<Value<'_>> = values.iter().map(|value| value.clone().elem()).collect();
        printer.format(format.bytes(), &values)?;
    }
    Ok(printer.out)
}

/// The text that `html` and similar functions escape if they get several arguments, or one that is not a string
/// (template.evalArgs).
pub(super) fn sprint_values<'a>(arguments: &[Value<'a>]) -> Result<Vec<u8>, String> {
    let shown = |argument: &Value<'a>| match argument.clone().elem() {
        Value::Invalid => Value::string(NO_VALUE.into()),
        other => other,
    };
    sprint(&arguments.iter().map(shown).collect::<Vec<_>>())
}

/// The output of an action without a value.
pub const NO_VALUE: &str = "<no value>";

/// A character of a text, or an invalid byte with the replacement character.
pub(super) struct Rune<'a> {
    pub value: char,
    pub bytes: &'a [u8],
}

/// The characters of a text that need not be UTF-8.
pub(super) fn runes(text: &[u8]) -> impl Iterator<Item = Rune<'_>> {
    text.utf8_chunks().flat_map(|chunk| {
        let (valid, invalid) = (chunk.valid(), chunk.invalid());
        let characters = valid
            .char_indices()
            .map(move |(at, value)| Rune { value, bytes: &valid.as_bytes()[at..at + value.len_utf8()] });
        let bytes = invalid.chunks(1).map(|bytes| Rune { value: char::REPLACEMENT_CHARACTER, bytes });
        characters.chain(bytes)
    })
}

/// The flags, width and precision of a verb.
#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    width: Option<usize>,
    precision: Option<usize>,
    plus: bool,
    minus: bool,
    sharp: bool,
    space: bool,
    zero: bool,
}

impl Flags {
    /// Whether Go has a form of the value that this package leaves out. *Compatibility* (go-templates).
    fn are_left_out(self, value: &Value<'_>, verb: char) -> bool {
        let Self { precision, plus, sharp, space, .. } = self;
        match value {
            // A width or precision of an argument, or an index after one.
            _ if matches!(verb, '*' | '[') => true,
            Value::String(_) | Value::Bool(_) if verb == 'v' => false,
            _ if sharp => true,
            Value::Float(_) => matches!(verb, 'b' | 'x' | 'X'),
            Value::String(_) => verb == 'q' && plus || matches!(verb, 'x' | 'X') && space,
            other => other.as_int().is_some_and(|number| {
                matches!(verb, 'O' | 'q') || verb == 'U' && (number < 0 || precision.is_some())
            }),
        }
    }

    fn sign(self, negative: bool) -> &'static str {
        match negative {
            true => "-",
            false if self.plus => "+",
            false if self.space => " ",
            false => "",
        }
    }
}

/// Larger widths, precisions and indexes are invalid.
const MAX_NUMBER: usize = 1_000_000;

const NIL: &str = "<nil>";

#[derive(Default)]
struct Printer {
    out: Vec<u8>,
    flags: Flags,
}

impl Printer {
    fn push(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn check(&self) -> Result<(), String> {
        if self.out.len() > MAX_STRING {
            return Err(format!("the text has more than {MAX_STRING} bytes"));
        }
        Ok(())
    }

    fn print(&mut self, arguments: &[Value<'_>]) -> Result<(), String> {
        let mut after_string = false;
        for (at, argument) in arguments.iter().enumerate() {
            let argument = argument.clone().elem();
            let is_string = matches!(argument, Value::String(_));
            if at > 0 && !is_string && !after_string {
                self.out.push(b' ');
            }
            self.argument(&argument, 'v')?;
            after_string = is_string;
        }
        Ok(())
    }

    /// Formats a value according to `verb` (pp.printArg).
    fn argument(&mut self, value: &Value<'_>, verb: char) -> Result<(), String> {
        match (value, verb) {
            (Value::Invalid, 'T' | 'v') => self.pad(NIL.as_bytes()),
            (Value::Invalid, _) => self.bad_verb(value, verb)?,
            (value, 'T') => self.string(value.type_name().unwrap_or_default().as_bytes(), 's'),
            (value, 'p' | 'w') => self.bad_verb(value, verb)?,
            (value, _) => self.value(value, verb)?,
        }
        self.check()
    }

    fn value(&mut self, value: &Value<'_>, verb: char) -> Result<(), String> {
        match value {
            Value::Invalid => self.push(NIL),
            Value::Interface(node) if node.is_null() => self.push(NIL),
            Value::Interface(node) => self.value(&Value::of(node), verb)?,
            value if self.flags.are_left_out(value, verb) => return Err(left_out(self.flags, verb, value)),
            Value::Bool(yes) => match verb {
                't' | 'v' => self.pad(if *yes { b"true" } else { b"false" }),
                _ => self.bad_verb(value, verb)?,
            },
            Value::Int(number) | Value::Int64(number) => self.integer(*number, value, verb)?,
            Value::Byte(number) => self.integer(i64::from(*number), value, verb)?,
            Value::Float(number) => self.float(*number, value, verb)?,
            Value::String(text) => match verb {
                'v' if self.flags.sharp => self.pad(go::quote_bytes(text.bytes()).as_bytes()),
                'v' => self.string(text.bytes(), 's'),
                's' | 'q' | 'x' | 'X' => self.string(text.bytes(), verb),
                _ => self.bad_verb(value, verb)?,
            },
            Value::List(items) => {
                self.out.push(b'[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        self.out.push(b' ');
                    }
                    self.value(&Value::Interface(item), verb)?;
                }
                self.out.push(b']');
            }
            Value::Map(map) => {
                self.push("map[");
                for (at, entry) in map.by_key().into_iter().enumerate() {
                    if at > 0 {
                        self.out.push(b' ');
                    }
                    let key = Value::string(entry.key.as_bytes().to_vec());
                    self.value(&key, verb)?;
                    self.out.push(b':');
                    self.value(&Value::Interface(&entry.value), verb)?;
                }
                self.out.push(b']');
            }
        }
        self.check()
    }

    fn bad_verb(&mut self, value: &Value<'_>, verb: char) -> Result<(), String> {
        self.push(&format!("%!{verb}("));
        self.typed(value)?;
        self.out.push(b')');
        Ok(())
    }

    /// A value after its type.
    fn typed(&mut self, value: &Value<'_>) -> Result<(), String> {
        if let Some(name) = value.type_name() {
            self.push(name);
            self.out.push(b'=');
        }
        self.value(value, 'v')
    }

    fn integer(&mut self, number: i64, value: &Value<'_>, verb: char) -> Result<(), String> {
        match verb {
            'v' | 'd' => self.digits(number, 10, verb),
            'b' => self.digits(number, 2, verb),
            'o' => self.digits(number, 8, verb),
            'x' | 'X' => self.digits(number, 16, verb),
            'c' => self.pad(character(number).encode_utf8(&mut [0; 4]).as_bytes()),
            'U' => self.pad(format!("U+{number:04X}").as_bytes()),
            _ => self.bad_verb(value, verb)?,
        }
        Ok(())
    }

    /// Formats a number in base `radix` (fmt.fmtInteger).
    fn digits(&mut self, number: i64, radix: u32, verb: char) {
        let flags = self.flags;
        let (negative, magnitude) = (number < 0, number.unsigned_abs());
        let signed = negative || flags.plus || flags.space;
        let least = match (flags.precision, flags.width) {
            // Such a zero consists only of padding.
            (Some(0), width) if magnitude == 0 => {
                return self.pad_with(b' ', width.unwrap_or(0));
            }
            (Some(precision), _) => precision,
            (None, Some(width)) if flags.zero && !flags.minus => width.saturating_sub(usize::from(signed)),
            _ => 0,
        };
        let digits = match radix {
            2 => format!("{magnitude:b}"),
            8 => format!("{magnitude:o}"),
            16 if verb == 'X' => format!("{magnitude:X}"),
            16 => format!("{magnitude:x}"),
            _ => magnitude.to_string(),
        };
        let zeros = "0".repeat(least.saturating_sub(digits.len()));
        let sign = flags.sign(negative);
        self.flags.zero = false;
        self.pad(format!("{sign}{zeros}{digits}").as_bytes());
        self.flags.zero = flags.zero;
    }

    /// Formats a float (fmt.fmtFloat).
    fn float(&mut self, number: f64, value: &Value<'_>, verb: char) -> Result<(), String> {
        let flags = self.flags;
        let (format, precision) = match verb {
            'v' => ('g', flags.precision),
            'g' | 'G' => (verb, flags.precision),
            'f' | 'F' => ('f', Some(flags.precision.unwrap_or(6))),
            'e' | 'E' => (verb, Some(flags.precision.unwrap_or(6))),
            _ => return self.bad_verb(value, verb),
        };
        let text = float::format(number.abs(), format, precision);
        let sign = flags.sign(number.is_sign_negative());
        let length = sign.len() + text.len();
        if !sign.is_empty() && flags.zero && !flags.minus && flags.width.is_some_and(|width| width > length) {
            // Zeros go between the sign and the digits.
            self.push(sign);
            self.pad_with(b'0', flags.width.unwrap_or(0) - length);
            self.push(&text);
        } else {
            self.pad(format!("{sign}{text}").as_bytes());
        }
        Ok(())
    }

    fn string(&mut self, text: &[u8], verb: char) {
        match verb {
            'x' | 'X' => self.hexadecimal(text, verb == 'X'),
            'q' => self.pad(go::quote_bytes(self.truncated(text)).as_bytes()),
            _ => self.pad(self.truncated(text)),
        }
    }

    /// The text cut to the precision, in characters.
    fn truncated<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let Some(precision) = self.flags.precision else { return text };
        &text[..runes(text).take(precision).map(|rune| rune.bytes.len()).sum()]
    }

    /// Formats bytes as two hexadecimal digits each (fmt.fmtSbx).
    fn hexadecimal(&mut self, text: &[u8], upper_case: bool) {
        let text = &text[..self.flags.precision.unwrap_or(text.len()).min(text.len())];
        let digits = |byte: &u8| if upper_case { format!("{byte:02X}") } else { format!("{byte:02x}") };
        self.pad(text.iter().map(digits).collect::<String>().as_bytes());
    }

    /// Writes a text, padded with blanks or zeros to the width.
    fn pad(&mut self, text: &[u8]) {
        let missing = self.flags.width.map_or(0, |width| width.saturating_sub(runes(text).count()));
        if self.flags.minus {
            self.out.extend_from_slice(text);
            self.pad_with(b' ', missing);
        } else {
            self.pad_with(if self.flags.zero { b'0' } else { b' ' }, missing);
            self.out.extend_from_slice(text);
        }
    }

    fn pad_with(&mut self, byte: u8, count: usize) {
        self.out.extend(std::iter::repeat_n(byte, count));
    }

    /// Formats a format string with its verbs (pp.doPrintf).
    fn format(&mut self, format: &[u8], values: &[Value<'_>]) -> Result<(), String> {
        let mut reader = Format { text: format, at: 0, values, next: 0, reordered: false };
        loop {
            let text = reader.text_to_verb();
            self.out.extend_from_slice(text);
            self.check()?;
            if !reader.accept(b'%') {
                break;
            }
            self.verb(&mut reader)?;
        }
        if !reader.reordered && reader.next < values.len() {
            self.flags = Flags::default();
            self.push("%!(EXTRA ");
            for (at, value) in values[reader.next..].iter().enumerate() {
                if at > 0 {
                    self.push(", ");
                }
                self.typed(value)?;
            }
            self.out.push(b')');
        }
        Ok(())
    }

    /// Formats one verb, after its `%`.
    fn verb(&mut self, reader: &mut Format<'_, '_>) -> Result<(), String> {
        self.flags = Flags::default();
        while let Some(flag) = reader.peek() {
            match flag {
                b'#' => self.flags.sharp = true,
                b'0' => self.flags.zero = true,
                b'+' => self.flags.plus = true,
                b'-' => self.flags.minus = true,
                b' ' => self.flags.space = true,
                _ => break,
            }
            reader.at += 1;
        }
        let is_indexed = reader.peek() == Some(b'[');
        let is_valid = !is_indexed || reader.index();
        self.flags.width = reader.number();
        if reader.accept(b'.') {
            self.flags.precision = Some(reader.number().unwrap_or(0));
        }
        // %[3]2d and %[3].2d
        let is_misplaced = is_indexed && (self.flags.width.is_some() || self.flags.precision.is_some());
        let Some(verb) = reader.verb() else {
            self.push("%!(NOVERB)");
            return Ok(());
        };
        let (complaint, at) = match verb {
            '%' => {
                self.out.push(b'%');
                return Ok(());
            }
            _ if is_misplaced || !is_valid => ("(BADINDEX)", None),
            _ => ("(MISSING)", reader.values.get(reader.next)),
        };
        let Some(value) = at else {
            self.push(&format!("%!{verb}{complaint}"));
            return Ok(());
        };
        if verb == 'v' {
            self.flags.plus = false;
        }
        reader.next += 1;
        self.argument(value, verb)
    }
}

/// The error about a form that is left out.
fn left_out(flags: Flags, verb: char, value: &Value<'_>) -> String {
    let marks = [(flags.sharp, '#'), (flags.plus, '+'), (flags.space, ' '), (flags.precision.is_some(), '.')];
    let marks: String = marks.iter().filter(|(is_set, _)| *is_set).map(|(_, mark)| mark).collect();
    format!("%{marks}{verb} of {} is not supported", value.type_name().unwrap_or("nil"))
}

/// The character with this number, or the replacement character.
fn character(number: i64) -> char {
    u32::try_from(number).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The format string of `printf` and the position in it.
struct Format<'f, 'a> {
    text: &'f [u8],
    at: usize,
    values: &'f [Value<'a>],
    /// The number of the next value.
    next: usize,
    /// Whether there was an index such as `[2]`.
    reordered: bool,
}

impl<'f> Format<'f, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn accept(&mut self, byte: u8) -> bool {
        let accepted = self.peek() == Some(byte);
        self.at += usize::from(accepted);
        accepted
    }

    fn text_to_verb(&mut self) -> &'f [u8] {
        let rest = &self.text[self.at..];
        let length = memchr::memchr(b'%', rest).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Reads digits up to `end`. If the number is too large, the rest of the digits is skipped (fmt.parsenum).
    fn number_to(&mut self, end: usize) -> Option<usize> {
        let mut number = None;
        while let Some(digit @ b'0'..=b'9') = self.peek().filter(|_| self.at < end) {
            let so_far = number.unwrap_or(0);
            if so_far > MAX_NUMBER {
                self.at = end;
                return None;
            }
            number = Some(so_far * 10 + usize::from(digit - b'0'));
            self.at += 1;
        }
        number
    }

    fn number(&mut self) -> Option<usize> {
        self.number_to(self.text.len())
    }

    /// Reads `[2]`, the index of the next value. Returns whether it is one.
    fn index(&mut self) -> bool {
        self.reordered = true;
        let start = self.at;
        self.at = start + 1;
        let close = self.text[start..].iter().position(|byte| *byte == b']').filter(|close| *close > 0);
        let Some(end) = close.filter(|_| self.text.len() - start >= 3).map(|close| start + close) else {
            return false;
        };
        let number = self.number_to(end).filter(|_| self.at == end);
        self.at = end + 1;
        let index =
            number.and_then(|number| number.checked_sub(1)).filter(|index| *index < self.values.len());
        self.next = index.unwrap_or(self.next);
        index.is_some()
    }

    fn verb(&mut self) -> Option<char> {
        let verb = runes(&self.text[self.at..]).next()?;
        self.at += verb.bytes.len();
        Some(verb.value)
    }
}
