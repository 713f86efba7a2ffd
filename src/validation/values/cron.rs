//! Cron schedules, as robfig/cron reads them.

/// Whether the schedule can be read; the error is in the words of robfig/cron, without the text.
pub(super) fn parse(schedule: &str) -> Result<(), String> {
    let mut rest = schedule;
    if rest.starts_with("TZ=") || rest.starts_with("CRON_TZ=") {
        rest = rest.split_once(' ').map(|(_, rest)| rest.trim()).ok_or("provided bad location")?;
    }
    if rest.starts_with('@') {
        return descriptor(rest);
    }
    let fields: Vec<&str> = rest.split_whitespace().collect();
    if fields.len() != 5 {
        return Err(format!("expected exactly 5 fields, found {}", fields.len()));
    }
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
    let bounds: [(u32, u32, &[&str]); 5] =
        [(0, 59, &[]), (0, 23, &[]), (1, 31, &[]), (1, 12, &MONTHS), (0, 6, &DAYS)];
    fields.iter().zip(bounds).try_for_each(|(field, bounds)| {
        field.split(',').filter(|part| !part.is_empty()).try_for_each(|part| part_of(part, bounds))
    })
}

fn descriptor(text: &str) -> Result<(), String> {
    const KNOWN: [&str; 7] =
        ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];
    if let Some(duration) = text.strip_prefix("@every ") {
        let parsed = text::duration::parse(duration);
        return parsed.map(|_| ()).ok_or_else(|| "failed to parse duration".to_owned());
    }
    if KNOWN.contains(&text) { Ok(()) } else { Err("unrecognized descriptor".to_owned()) }
}

/// `*`, `1`, `1-5`, each possibly with `/step`.
fn part_of(part: &str, (low, high, names): (u32, u32, &[&str])) -> Result<(), String> {
    let number = |text: &str| -> Result<u32, String> {
        let lower = text.to_lowercase();
        if let Some(at) = names.iter().position(|name| *name == lower) {
            return Ok(u32::try_from(at).unwrap_or(0) + low);
        }
        match text.parse::<i64>() {
            Ok(number) if number < 0 => Err("negative number not allowed".to_owned()),
            Ok(number) => u32::try_from(number).map_err(|_| "failed to parse int".to_owned()),
            Err(_) => Err("failed to parse int".to_owned()),
        }
    };
    let steps: Vec<&str> = part.split('/').collect();
    let ends: Vec<&str> = steps[0].split('-').collect();
    let is_single = ends.len() == 1;
    let (start, mut end) = match ends[..] {
        ["*" | "?"] => (low, high),
        [one] => (number(one)?, number(one)?),
        [first, last] if !matches!(first, "*" | "?") => (number(first)?, number(last)?),
        ["*" | "?", ..] => (low, high),
        _ => return Err("too many hyphens".to_owned()),
    };
    let step = match steps[..] {
        [_] => 1,
        [_, step] => {
            if is_single {
                end = high;
            }
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
    if step == 0 { Err("step of range should be a positive number".to_owned()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn schedules_are_read_as_robfig_cron_does() {
        for good in
            ["* * * * *", "*/5 0-3,5 1 JAN-dec mon", "@daily", "@every 1h30m", "0 0 ? * ?", "0 2/3 * * *"]
        {
            assert_eq!(parse(good), Ok(()), "{good}");
        }
        for (bad, message) in [
            ("* * * *", "expected exactly 5 fields, found 4"),
            ("60 * * * *", "end of range (60) above maximum (59)"),
            ("* * 0 * *", "beginning of range (0) below minimum (1)"),
            ("5-1 * * * *", "beginning of range (5) beyond end of range (1)"),
            ("a * * * *", "failed to parse int"),
            ("*/0 * * * *", "step of range should be a positive number"),
            ("* * * * 7", "end of range (7) above maximum (6)"),
            ("@hourly ", "unrecognized descriptor"),
            ("@every x", "failed to parse duration"),
        ] {
            assert_eq!(parse(bad), Err(message.to_owned()), "{bad}");
        }
    }
}
