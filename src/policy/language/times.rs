//! Times and durations of expressions, with the functions and operators that CEL gives them (cel-go, common/types:
//! timestamp.go, duration.go). Those of the crate would bring a second library of times, whose tables of time zones make
//! every start of the program slower.

use std::any::Any;
use std::cmp::Ordering;

use cel::common::functions::Function;
use cel::common::traits::{Adder, Comparer, Subtractor, Zeroer};
use cel::common::types::{CelInt, CelString, DURATION_TYPE, STRING_TYPE, TIMESTAMP_TYPE, Type};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError};
use jiff::fmt::temporal::Pieces;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp, Zoned};

use super::calls::{failure, mismatch};
use text::duration;
use text::format::is_time;

const NOT_A_TIME: &str = "the text is not a time such as 2006-01-02T15:04:05Z";
const NOT_A_DURATION: &str = "the text is not a duration such as 1h30m";
const NOT_A_ZONE: &str = "the text is not a time zone such as Europe/Berlin or -03:30";
const OUT_OF_RANGE: &str = "the result is out of range";
const NO_OPERANDS: &str = "the operator takes times and durations";

/// The messages of these functions.
pub const MESSAGES: [&str; 5] = [NOT_A_TIME, NOT_A_DURATION, NOT_A_ZONE, OUT_OF_RANGE, NO_OPERANDS];

/// A time with the offset that it was written with. It is in the years 1 to 9999; the last 26 hours are not covered.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    time: Timestamp,
    offset: Offset,
}

/// A duration that fits in a signed 64-bit number of nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Duration(SignedDuration);

impl Time {
    /// A time of UTC.
    pub const fn utc(time: Timestamp) -> Self {
        Self { time, offset: Offset::UTC }
    }

    /// A time in RFC 3339.
    fn parse(text: &str) -> Option<Self> {
        let text = Some(text).filter(|text| is_time(text))?.replace(',', ".");
        let time = text.parse().ok()?;
        let offset = Pieces::parse(&text).ok()?.to_numeric_offset().unwrap_or(Offset::UTC);
        Self { time, offset }.in_range()
    }

    /// The time, unless it is before the year 1.
    fn in_range(self) -> Option<Self> {
        const YEAR_1: i64 = -62_135_596_800;
        (self.time.as_second() >= YEAR_1).then_some(self)
    }

    fn plus(self, duration: SignedDuration) -> Option<Self> {
        Self { time: self.time.checked_add(duration).ok()?, ..self }.in_range()
    }
}

impl Duration {
    /// The duration, if it is not too long.
    fn new(duration: SignedDuration) -> Option<Self> {
        i64::try_from(duration.as_nanos()).is_ok().then_some(Self(duration))
    }
}

/// The time from `created` (RFC 3339) until `now`, which must be a time, or the longest duration if that is longer (Go,
/// time.Sub); `None` if `created` is not a time.
pub fn between<'b, 'v>(created: &str, now: &dyn Val) -> Option<CowVal<'b, 'v>> {
    age(&Time::parse(created)?, now)
}

/// The time from `created` (RFC 3339) until `now`; `None` if `created` is not a time.
pub fn since<'v>(created: &str, now: Timestamp) -> Option<Box<dyn Val + 'v>> {
    between(created, &Time::utc(now)).map(CowVal::into_owned)
}

/// A duration of so many seconds.
pub fn span<'v>(seconds: i64) -> Box<dyn Val + 'v> {
    Box::new(Duration(SignedDuration::from_secs(seconds)))
}

/// The time in a text of RFC 3339; `None` if it is not one.
pub fn time<'v>(text: &str) -> Option<Box<dyn Val + 'v>> {
    Some(Box::new(Time::parse(text)?))
}

/// The duration in a text such as `1h30m`; `None` if it is not one.
pub fn duration<'v>(text: &str) -> Option<Box<dyn Val + 'v>> {
    Some(Box::new(Duration(duration::parse(text)?)))
}

/// The time from `time` until `now`; `None` if one of them is not a time.
pub fn age<'b, 'v>(time: &dyn Val, now: &dyn Val) -> Option<CowVal<'b, 'v>> {
    let (time, now) = (time.downcast_ref::<Time>()?, now.downcast_ref::<Time>()?);
    let nanoseconds = now.time.duration_since(time.time).as_nanos();
    let nanoseconds = nanoseconds.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    Some(CowVal::owned(Duration(SignedDuration::from_nanos(nanoseconds))))
}

/// Declares the types and functions.
pub fn extension(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_type(TIMESTAMP_TYPE)?;
    env.add_type(DURATION_TYPE)?;

    cel::add_overload!(env, fn time_of_text: (CelString) -> Result<Time>,
        name = "timestamp", id = "string_to_timestamp")?;
    cel::add_overload!(env, fn time_of_seconds: (CelInt) -> Result<Time>, name = "timestamp", id = "int64_to_timestamp")?;
    cel::add_overload!(env, fn same_time: (Time) -> Time, name = "timestamp", id = "timestamp_to_timestamp")?;
    cel::add_overload!(env, fn text_of_time: (Time) -> CelString<'static>, name = "string", id = "timestamp_to_string")?;
    cel::add_overload!(env, fn seconds_of_time: (Time) -> CelInt, name = "int", id = "timestamp_to_int64")?;

    cel::add_overload!(env, fn duration_of_text: (CelString) -> Result<Duration>,
        name = "duration", id = "string_to_duration")?;
    cel::add_overload!(env, fn same_duration: (Duration) -> Duration, name = "duration", id = "duration_to_duration")?;
    cel::add_overload!(env, fn text_of_duration: (Duration) -> CelString<'static>,
        name = "string", id = "duration_to_string")?;
    cel::add_overload!(env, fn nanoseconds_of_duration: (Duration) -> CelInt, name = "int", id = "duration_to_int64")?;

    for (name, of_time) in TIME_PARTS {
        env.add_member_overload(name, &format!("timestamp_{name}"), TIMESTAMP_TYPE, vec![], of_time)?;
        env.add_member_overload(
            name,
            &format!("timestamp_{name}_with_tz"),
            TIMESTAMP_TYPE,
            vec![STRING_TYPE],
            of_time,
        )?;
    }
    DURATION_PARTS.into_iter().try_for_each(|(name, of_duration)| {
        env.add_member_overload(name, &format!("duration_{name}"), DURATION_TYPE, vec![], of_duration)
    })
}

/// The parts of a time. Without a time zone, those of the offset that the time was written with.
const TIME_PARTS: [(&str, Function); 10] = [
    ("getFullYear", |args| time_part(args, |time| time.year().into())),
    ("getMonth", |args| time_part(args, |time| i64::from(time.month()) - 1)),
    ("getDate", |args| time_part(args, |time| time.day().into())),
    ("getDayOfMonth", |args| time_part(args, |time| i64::from(time.day()) - 1)),
    ("getDayOfWeek", |args| time_part(args, |time| time.weekday().to_sunday_zero_offset().into())),
    ("getDayOfYear", |args| time_part(args, |time| i64::from(time.day_of_year()) - 1)),
    ("getHours", |args| time_part(args, |time| time.hour().into())),
    ("getMinutes", |args| time_part(args, |time| time.minute().into())),
    ("getSeconds", |args| time_part(args, |time| time.second().into())),
    ("getMilliseconds", |args| time_part(args, |time| time.millisecond().into())),
];

/// A duration in whole units.
const DURATION_PARTS: [(&str, Function); 4] = [
    ("getHours", |args| duration_part(args, 3_600_000_000_000)),
    ("getMinutes", |args| duration_part(args, 60_000_000_000)),
    ("getSeconds", |args| duration_part(args, 1_000_000_000)),
    ("getMilliseconds", |args| duration_part(args, 1_000_000)),
];

/// A part of a time, in a time zone if one is given.
fn time_part<'b, 'v>(
    args: Vec<CowVal<'b, 'v>>,
    part: fn(&Zoned) -> i64,
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let time = args.first().and_then(|time| time.downcast_ref::<Time>()).ok_or_else(|| mismatch(&args))?;
    let zone = match args.get(1).and_then(|zone| zone.downcast_ref::<CelString>()) {
        Some(name) => time_zone(name.inner()).ok_or_else(|| failure("timezone", NOT_A_ZONE))?,
        None => TimeZone::fixed(time.offset),
    };
    Ok(CowVal::owned(CelInt::from(part(&time.time.to_zoned(zone)))))
}

/// A time zone: an IANA name, or an offset in hours and minutes.
fn time_zone(text: &str) -> Option<TimeZone> {
    let Some((hours, minutes)) = text.split_once(':') else {
        return if text.is_empty() { Some(TimeZone::UTC) } else { TimeZone::get(text).ok() };
    };
    let is_west = hours.starts_with('-');
    let hours: i32 = hours.parse().ok().filter(|hours| (-23..=23).contains(hours))?;
    let minutes: i32 = minutes.parse().ok().filter(|minutes| (0..=59).contains(minutes))?;
    let minutes = 60 * hours + if is_west { -minutes } else { minutes };
    Some(TimeZone::fixed(Offset::from_seconds(60 * minutes).ok()?))
}

/// A duration in whole units of so many nanoseconds.
fn duration_part<'b, 'v>(args: Vec<CowVal<'b, 'v>>, unit: i128) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let duration = args.first().and_then(|duration| duration.downcast_ref::<Duration>());
    let Duration(duration) = duration.ok_or_else(|| mismatch(&args))?;
    // Every duration fits in 64 bits of nanoseconds.
    Ok(CowVal::owned(CelInt::from((duration.as_nanos() / unit) as i64)))
}

fn time_of_text(text: &CelString<'_>) -> Result<Time, ExecutionError> {
    Time::parse(text.inner()).ok_or_else(|| failure("timestamp", NOT_A_TIME))
}

fn time_of_seconds(seconds: &CelInt) -> Result<Time, ExecutionError> {
    let time = Timestamp::from_second(*seconds.inner()).ok();
    time.and_then(|time| Time::utc(time).in_range()).ok_or_else(|| failure("timestamp", OUT_OF_RANGE))
}

fn same_time(time: &Time) -> Time {
    *time
}

fn text_of_time(time: &Time) -> CelString<'static> {
    // With the offset that it was written with.
    match time.offset {
        Offset::UTC => time.time.to_string(),
        offset => time.time.display_with_offset(offset).to_string(),
    }
    .into()
}

fn seconds_of_time(time: &Time) -> CelInt {
    // Rounded down, also before 1970.
    time.time.as_duration().as_nanos().div_euclid(1_000_000_000).try_into().unwrap_or(0_i64).into()
}

fn duration_of_text(text: &CelString<'_>) -> Result<Duration, ExecutionError> {
    duration::parse(text.inner()).map(Duration).ok_or_else(|| failure("duration", NOT_A_DURATION))
}

fn same_duration(duration: &Duration) -> Duration {
    *duration
}

fn text_of_duration(duration: &Duration) -> CelString<'static> {
    format!("{}s", duration.0.as_secs_f64()).into()
}

fn nanoseconds_of_duration(duration: &Duration) -> CelInt {
    i64::try_from(duration.0.as_nanos()).unwrap_or(i64::MAX).into()
}

/// The result of an operator.
fn outcome<'b, 'v>(operator: &str, value: Option<impl Val + 'v>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    value.map(CowVal::owned).ok_or_else(|| failure(operator, OUT_OF_RANGE))
}

impl Adder for Time {
    fn add<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        match other.downcast_ref::<Duration>() {
            Some(Duration(duration)) => outcome("+", self.plus(*duration)),
            None => Err(failure("+", NO_OPERANDS)),
        }
    }
}

impl Subtractor for Time {
    fn sub<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        if let Some(Duration(duration)) = other.downcast_ref() {
            outcome("-", duration.checked_neg().and_then(|duration| self.plus(duration)))
        } else if let Some(other) = other.downcast_ref::<Self>() {
            outcome("-", Duration::new(self.time.duration_since(other.time)))
        } else {
            Err(failure("-", NO_OPERANDS))
        }
    }
}

impl Adder for Duration {
    fn add<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        if let Some(Self(other)) = other.downcast_ref() {
            outcome("+", self.0.checked_add(*other).and_then(Self::new))
        } else if let Some(time) = other.downcast_ref::<Time>() {
            outcome("+", time.plus(self.0))
        } else {
            Err(failure("+", NO_OPERANDS))
        }
    }
}

impl Subtractor for Duration {
    fn sub<'b, 'v>(&'b self, other: &(dyn Val + 'v)) -> Result<CowVal<'b, 'v>, ExecutionError>
    where
        Self: 'v,
    {
        match other.downcast_ref() {
            Some(Self(other)) => outcome("-", self.0.checked_sub(*other).and_then(Self::new)),
            None => Err(failure("-", NO_OPERANDS)),
        }
    }
}

/// Makes a type one of the language's, with the operators above, and compared by a field.
macro_rules! value {
    ($type:ty, $cel_type:expr, $field:tt) => {
        impl StaticVal for $type {}

        impl Comparer for $type {
            fn compare(&self, other: &dyn Val) -> Result<Ordering, ExecutionError> {
                let other = other.downcast_ref::<Self>().ok_or_else(|| failure("compare", NO_OPERANDS))?;
                Ok(self.$field.cmp(&other.$field))
            }
        }

        impl Zeroer for $type {
            fn is_zero_value(&self) -> bool {
                self.$field == Default::default()
            }
        }

        impl Val for $type {
            fn get_type(&self) -> &Type {
                Self::cel_type()
            }

            fn cel_type() -> &'static Type {
                static TYPE: Type = $cel_type;
                &TYPE
            }

            fn as_adder<'b, 'v>(&'b self) -> Option<&'b (dyn Adder + 'v)>
            where
                Self: 'v,
            {
                Some(self)
            }

            fn as_subtractor<'b, 'v>(&'b self) -> Option<&'b (dyn Subtractor + 'v)>
            where
                Self: 'v,
            {
                Some(self)
            }

            fn as_comparer(&self) -> Option<&dyn Comparer> {
                Some(self)
            }

            fn as_zeroer(&self) -> Option<&dyn Zeroer> {
                Some(self)
            }

            fn equals(&self, other: &dyn Val) -> bool {
                self.compare(other).is_ok_and(Ordering::is_eq)
            }

            fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
            where
                Self: 'v,
            {
                Box::new(*self)
            }

            fn as_any(&self) -> Option<&dyn Any> {
                Some(self)
            }
        }
    };
}

value!(Time, TIMESTAMP_TYPE, time);
value!(Duration, DURATION_TYPE, 0);
