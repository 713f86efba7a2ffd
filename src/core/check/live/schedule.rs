//! When a CronJob should have run: how far apart the times of its schedule are.

use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, Timestamp, ToSpan, tz::TimeZone};

use text::duration;

/// Schedules with a name, as robfig/cron reads them.
const NAMED: &[(&str, &str)] = &[
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

/// The names of months and of days of the week, and the number of the first.
const MONTHS: (&[&str], u32) =
    (&["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1);
const DAYS: (&[&str], u32) = (&["sun", "mon", "tue", "wed", "thu", "fri", "sat"], 0);

/// How many days are searched for a time: a leap day comes within eight years.
const SEARCHED: usize = 8 * 366;

/// The times of a schedule, a bit for each number.
struct Schedule {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether both days of the month and of the week are limited, so that either suffices.
    either: bool,
}

/// The longest time between two runs among the next ones after a time, in any time zone: what lies further in the past than
/// that was missed. `None` if the schedule cannot be read.
pub fn longest_period(schedule: &str, after: Timestamp) -> Option<SignedDuration> {
    if let Some(every) = schedule.strip_prefix("@every ") {
        let seconds = duration::parse(every)?;
        return Some(seconds);
    }
    let schedule = Schedule::parse(schedule)?;
    let mut time = after.to_zoned(TimeZone::UTC).datetime();
    let mut times = std::iter::from_fn(|| {
        time = schedule.next(time)?;
        Some(time)
    });
    let mut last = times.next()?;
    let mut longest = SignedDuration::ZERO;
    for time in times.take(8) {
        longest = longest.max(time.duration_since(last));
        last = time;
    }
    Some(longest)
}

impl Schedule {
    fn parse(text: &str) -> Option<Self> {
        let text = match text.strip_prefix("TZ=").or_else(|| text.strip_prefix("CRON_TZ=")) {
            Some(rest) => rest.split_once(' ')?.1.trim(),
            None => text,
        };
        let text = NAMED.iter().find(|(name, _)| *name == text).map_or(text, |(_, fields)| fields);
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields[..] else { return None };
        let is_any = |field: &str| field.starts_with(['*', '?']);
        Some(Self {
            minutes: bits(minutes, (0, 59), (&[], 0))?,
            hours: bits(hours, (0, 23), (&[], 0))?,
            days: bits(days, (1, 31), (&[], 0))?,
            months: bits(months, (1, 12), MONTHS)?,
            weekdays: bits(weekdays, (0, 6), DAYS)?,
            either: !is_any(days) && !is_any(weekdays),
        })
    }

    /// The first time after another one; `None` if there is none.
    fn next(&self, after: DateTime) -> Option<DateTime> {
        let mut date = after.date();
        for _ in 0..SEARCHED {
            if self.is_on(date) {
                let minutes =
                    (0..24 * 60).filter(|at| has(self.hours, at / 60) && has(self.minutes, at % 60));
                let times =
                    minutes.filter_map(|at| i8::try_from(at / 60).ok().zip(i8::try_from(at % 60).ok()));
                let mut times = times.map(|(hour, minute)| date.at(hour, minute, 0, 0));
                if let Some(time) = times.find(|time| *time > after) {
                    return Some(time);
                }
            }
            date = date.checked_add(1.day()).ok()?;
        }
        None
    }

    fn is_on(&self, date: Date) -> bool {
        let of = |number: i8| u32::try_from(number).unwrap_or(0);
        let day = has(self.days, of(date.day()));
        let weekday = has(self.weekdays, of(date.weekday().to_sunday_zero_offset()));
        has(self.months, of(date.month())) && if self.either { day || weekday } else { day && weekday }
    }
}

fn has(bits: u64, number: u32) -> bool {
    bits & (1 << number) != 0
}

/// The numbers of a field: `*`, `1`, `1-5`, each possibly with `/step`, separated by commas.
fn bits(field: &str, (low, high): (u32, u32), (names, first): (&[&str], u32)) -> Option<u64> {
    let number = |text: &str| {
        let lower = text.to_lowercase();
        match (0..).zip(names).find(|(_, name)| **name == lower) {
            Some((at, _)) => Some(first + at),
            None => text.parse::<u32>().ok(),
        }
    };
    let mut bits = 0;
    for part in field.split(',').filter(|part| !part.is_empty()) {
        let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
        let (start, end) = match range.split_once('-') {
            _ if matches!(range, "*" | "?") => (low, high),
            Some((start, end)) => (number(start)?, number(end)?),
            None if step.is_some() => (number(range)?, high),
            None => (number(range)?, number(range)?),
        };
        let step = usize::try_from(step.map_or(Some(1), |step| step.parse::<u32>().ok())?).ok()?;
        if step == 0 || start < low || end > high {
            return None;
        }
        bits |= (start..=end).step_by(step).fold(0, |bits, number| bits | 1 << number);
    }
    Some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schedule: &str, expected: Option<&str>) {
        let period = longest_period(schedule, "2026-01-09T12:34:00Z".parse().unwrap());
        assert_eq!(period.map(|period| format!("{period:#}")).as_deref(), expected, "{schedule}");
    }

    #[test]
    fn the_longest_period_is_found() {
        check("*/15 * * * *", Some("15m"));
        check("0 2 * * *", Some("24h"));
        check("30 2 * * mon-fri", Some("72h"));
        check("@weekly", Some("168h"));
        check("@every 90s", Some("1m 30s"));
        check("0 0 29 2 *", Some("35064h"));
        check("0 0 1,15 * mon", Some("168h"));
        check("TZ=Asia/Tokyo 0 */6 * * *", Some("6h"));
    }

    #[test]
    fn what_cannot_be_read_has_none() {
        for schedule in ["", "* * * *", "60 * * * *", "@sometimes", "*/0 * * * *", "0 0 31 2 *", "x * * * *"]
        {
            check(schedule, None);
        }
    }
}
