//! Cron schedules, as robfig/cron reads them, which CronJobs use.

use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, Timestamp, ToSpan, tz::TimeZone};

use crate::duration;

/// Schedules with a name.
const NAMED: &[(&str, &str)] = &[
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// The numbers of a field, and the names of the first ones.
type Bounds = (u32, u32, &'static [&'static str]);

/// The fields: minutes, hours, days, months and days of the week.
const FIELDS: [Bounds; 5] = [(0, 59, &[]), (0, 23, &[]), (1, 31, &[]), (1, 12, MONTHS), (0, 6, DAYS)];

/// How many days are searched for a time: a leap day comes within eight years.
const SEARCHED: usize = 8 * 366;

/// When something runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Again after this time.
    Every(SignedDuration),
    /// At times whose parts are in the fields.
    At(Times),
}

/// The times of a schedule: a bit for each number of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// Minutes, hours, days, months and days of the week.
    fields: [u64; 5],
    /// Whether both days of the month and of the week are limited, so that either suffices.
    either: bool,
}

impl Schedule {
    /// Reads a schedule.
    ///
    /// # Errors
    ///
    /// It cannot be read; the error is in the words of robfig/cron, without the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut text = text;
        if text.starts_with("TZ=") || text.starts_with("CRON_TZ=") {
            text = text.split_once(' ').map(|(_, rest)| rest.trim()).ok_or("provided bad location")?;
        }
        if let Some(every) = text.strip_prefix("@every ") {
            return duration::parse(every)
                .map(Self::Every)
                .ok_or_else(|| "failed to parse duration".to_owned());
        }
        let text = match NAMED.iter().find(|(name, _)| *name == text) {
            Some((_, fields)) => fields,
            None if text.starts_with('@') => return Err("unrecognized descriptor".to_owned()),
            None => text,
        };
        let written: Vec<&str> = text.split_whitespace().collect();
        let &[_, _, days, _, weekdays] = &written[..] else {
            return Err(format!("expected exactly 5 fields, found {}", written.len()));
        };
        let mut fields = [0; 5];
        for ((bits, field), bounds) in fields.iter_mut().zip(&written).zip(FIELDS) {
            for part in field.split(',').filter(|part| !part.is_empty()) {
                *bits |= numbers(part, bounds)?;
            }
        }
        let is_any = |field: &str| field.starts_with(['*', '?']);
        Ok(Self::At(Times { fields, either: !is_any(days) && !is_any(weekdays) }))
    }

    /// The longest time between two runs among the next ones after a time, in any time zone: what lies further in the past
    /// than that was missed. `None` if it never runs.
    pub fn longest_period(&self, after: Timestamp) -> Option<SignedDuration> {
        let times = match self {
            Self::Every(period) => return Some(*period),
            Self::At(times) => times,
        };
        let mut time = after.to_zoned(TimeZone::UTC).datetime();
        let mut next = || {
            time = times.next(time)?;
            Some(time)
        };
        let mut last = next()?;
        let mut longest = SignedDuration::ZERO;
        for time in std::iter::from_fn(next).take(8) {
            longest = longest.max(time.duration_since(last));
            last = time;
        }
        Some(longest)
    }
}

impl Times {
    /// The first time after another one; `None` if there is none.
    fn next(&self, after: DateTime) -> Option<DateTime> {
        let mut date = after.date();
        for _ in 0..SEARCHED {
            if self.is_on(date) {
                let [minutes, hours, ..] = self.fields;
                let is_meant = |at: &i16| has(hours, at / 60) && has(minutes, at % 60);
                let time =
                    |at: i16| Some(date.at(i8::try_from(at / 60).ok()?, i8::try_from(at % 60).ok()?, 0, 0));
                let mut times = (0..24 * 60).filter(is_meant).filter_map(time);
                if let Some(time) = times.find(|time| *time > after) {
                    return Some(time);
                }
            }
            date = date.checked_add(1.day()).ok()?;
        }
        None
    }

    fn is_on(&self, date: Date) -> bool {
        let [_, _, days, months, weekdays] = self.fields;
        let day = has(days, date.day().into());
        let weekday = has(weekdays, date.weekday().to_sunday_zero_offset().into());
        has(months, date.month().into()) && if self.either { day || weekday } else { day && weekday }
    }
}

fn has(bits: u64, number: i16) -> bool {
    bits >> number & 1 != 0
}

/// The numbers of `*`, `1` or `1-5`, each possibly with `/step`.
fn numbers(part: &str, (low, high, names): Bounds) -> Result<u64, String> {
    let number = |text: &str| -> Result<u32, String> {
        let lower = text.to_lowercase();
        if let Some((at, _)) = (low..).zip(names).find(|(_, name)| **name == lower) {
            return Ok(at);
        }
        match text.parse::<i64>() {
            Ok(number) if number < 0 => Err("negative number not allowed".to_owned()),
            number => {
                number.ok().and_then(|number| number.try_into().ok()).ok_or("failed to parse int".to_owned())
            }
        }
    };
    let steps: Vec<&str> = part.split('/').collect();
    let ends: Vec<&str> = steps[0].split('-').collect();
    let (start, mut end) = match ends[..] {
        ["*" | "?", ..] => (low, high),
        [one] => (number(one)?, number(one)?),
        [first, last] => (number(first)?, number(last)?),
        _ => return Err("too many hyphens".to_owned()),
    };
    let step = match steps[..] {
        [_] => 1,
        [_, step] => {
            end = if ends.len() == 1 { high } else { end };
            number(step)?
        }
        _ => return Err("too many slashes".to_owned()),
    };
    if start < low {
        return Err(format!("beginning of range ({start}) below minimum ({low})"));
    }
    if end > high {
        return Err(format!("end of range ({end}) above maximum ({high})"));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end})"));
    }
    if step == 0 {
        return Err("step of range should be a positive number".to_owned());
    }
    Ok((start..=end).step_by(step as usize).fold(0, |bits, number| bits | 1 << number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schedule: &str, expected: Result<Option<&str>, &str>) {
        let after = "2026-01-09T12:34:00Z".parse().unwrap();
        let period = Schedule::parse(schedule).map(|schedule| schedule.longest_period(after));
        let period = period.map(|period| period.map(|period| format!("{period:#}")));
        assert_eq!(period, expected.map(|text| text.map(str::to_owned)).map_err(str::to_owned), "{schedule}");
    }

    #[test]
    fn the_longest_period_is_found() {
        check("*/15 * * * *", Ok(Some("15m")));
        check("0 0-3,5 1 JAN-dec *", Ok(Some("667h")));
        check("0 2/3 ? * ?", Ok(Some("3h")));
        check("30 2 * * mon-fri", Ok(Some("72h")));
        check("@weekly", Ok(Some("168h")));
        check("@every 90s", Ok(Some("1m 30s")));
        check("0 0 29 2 *", Ok(Some("35064h")));
        check("0 0 1,15 * mon", Ok(Some("168h")));
        check("TZ=Asia/Tokyo 0 */6 * * *", Ok(Some("6h")));
        check("0 0 31 2 *", Ok(None));
    }

    #[test]
    fn errors_are_those_of_robfig_cron() {
        check("* * * *", Err("expected exactly 5 fields, found 4"));
        check("60 * * * *", Err("end of range (60) above maximum (59)"));
        check("* * 0 * *", Err("beginning of range (0) below minimum (1)"));
        check("5-1 * * * *", Err("beginning of range (5) beyond end of range (1)"));
        check("a * * * *", Err("failed to parse int"));
        check("*/0 * * * *", Err("step of range should be a positive number"));
        check("* * * * 7", Err("end of range (7) above maximum (6)"));
        check("@hourly ", Err("unrecognized descriptor"));
        check("@every x", Err("failed to parse duration"));
    }
}
