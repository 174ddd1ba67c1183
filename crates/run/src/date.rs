//! Dates as crawls and corpora write them, on one scale.

/// Days from the first of March of the year 0 to the first of January 1970.
const DAYS_TO_1970: u64 = 719_468;
const SECONDS_A_DAY: u64 = 86_400;
const MICROS_A_SECOND: u64 = 1_000_000;

/// A date as a sortable number: microseconds since the first of March of the year 0, in UTC, of which 64 bits hold more than any
/// year of four digits; `None` for what is no date. Reads RFC 3339 and ISO 8601 with
/// parts left out, slashes for dashes, the digits of archives (4, 6, 8, 12, 14 or 17 of them), and Unix time in seconds,
/// with a fraction or not, milliseconds (13 digits) and microseconds (16).
pub(crate) fn instant(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Some(micros) = unix_micros(text) {
        return Some(DAYS_TO_1970 * SECONDS_A_DAY * MICROS_A_SECOND + micros);
    }
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], text[at + 1..].trim()),
        None if text.len() > 8 && is_digits(text) => text.split_at(8),
        None => (text.trim_end_matches(['Z', 'z']), ""),
    };
    let days = days(date)?;
    let time = time.strip_suffix("UTC").or(time.strip_suffix("GMT")).map_or(time, str::trim_end);
    let (local, offset) = time.split_at(time.find(['+', '-', 'Z', 'z']).unwrap_or(time.len()));
    let (seconds, micros) = seconds_and_micros(local.trim_end())?;
    let seconds = days * SECONDS_A_DAY + seconds;
    let seconds = match offset.split_at_checked(1) {
        None | Some(("Z" | "z", "")) => seconds,
        Some(("+", east)) => seconds.saturating_sub(minutes(east)? * 60),
        Some(("-", west)) => seconds + minutes(west)? * 60,
        Some(_) => return None,
    };
    Some(seconds * MICROS_A_SECOND + micros)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn number(text: &str, lengths: std::ops::RangeInclusive<usize>) -> Option<u64> {
    (is_digits(text) && lengths.contains(&text.len())).then(|| text.parse().ok()).flatten()
}

fn unix_micros(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let unit = match whole.len() {
        9..=11 => MICROS_A_SECOND,
        13 if fraction.is_empty() => MICROS_A_SECOND / 1_000,
        16 if fraction.is_empty() => 1,
        _ => return None,
    };
    number(whole, 1..=16)?.checked_mul(unit)?.checked_add(micros(fraction)?)
}

/// The digits behind a point as microseconds.
fn micros(fraction: &str) -> Option<u64> {
    (0..6).try_fold(0, |micros, at| match fraction.as_bytes().get(at) {
        None => Some(micros * 10),
        Some(digit) => digit.is_ascii_digit().then(|| micros * 10 + u64::from(digit - b'0')),
    })
}

/// Days since the first of March of the year 0, as the Gregorian calendar counts on.
fn days(date: &str) -> Option<u64> {
    let (year, month, day) = if is_digits(date) {
        let (year, rest) = date.split_at_checked(4)?;
        match rest.len() {
            0 => (year, "1", "1"),
            2 => (year, rest, "1"),
            4 => (year, &rest[..2], &rest[2..]),
            _ => return None,
        }
    } else {
        let mut parts = date.split(['-', '/']);
        let (year, month) = (parts.next()?, parts.next()?);
        let day = parts.next().unwrap_or("1");
        if parts.next().is_some() {
            return None;
        }
        (year, month, day)
    };
    let (year, month, day) = (number(year, 4..=4)?, number(month, 1..=2)?, number(day, 1..=2)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years start in March so that the leap day is their last.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    Some(365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1)
}

/// Seconds since midnight, and the microseconds behind them.
fn seconds_and_micros(time: &str) -> Option<(u64, u64)> {
    let (whole, fraction) = time.find(['.', ',']).map_or((time, ""), |at| (&time[..at], &time[at + 1..]));
    let (hour, minute, second, fraction) = if whole.contains(':') {
        let mut parts = whole.split(':');
        let parts = [parts.next(), parts.next(), parts.next(), parts.next()];
        let [hour, minute, second, None] = parts else { return None };
        (hour?, minute?, second.unwrap_or("0"), fraction)
    } else {
        match whole.len() {
            0 => ("0", "0", "0", fraction),
            2 => (whole, "0", "0", fraction),
            4 => (whole.get(..2)?, whole.get(2..)?, "0", fraction),
            6 => (whole.get(..2)?, whole.get(2..4)?, whole.get(4..)?, fraction),
            // Archives write thousandths without a point.
            9 if fraction.is_empty() => {
                (whole.get(..2)?, whole.get(2..4)?, whole.get(4..6)?, whole.get(6..)?)
            }
            _ => return None,
        }
    };
    let (hour, minute, second) = (number(hour, 1..=2)?, number(minute, 1..=2)?, number(second, 1..=2)?);
    let holds = hour <= 24 && minute <= 59 && second <= 60;
    holds.then_some(hour * 3_600 + minute * 60 + second).zip(micros(fraction))
}

/// An offset from UTC: `02`, `0200` or `02:00`.
fn minutes(offset: &str) -> Option<u64> {
    let (hours, minutes) = match offset.split_once(':') {
        Some(parts) => parts,
        None => offset.split_at_checked(2)?,
    };
    let minutes = if minutes.is_empty() { "0" } else { minutes };
    Some(number(hours, 1..=2)? * 60 + number(minutes, 1..=2)?)
}

#[cfg(test)]
mod tests {
    use super::instant;

    #[test]
    fn one_moment_is_one_number_however_it_is_written() {
        for same in [
            &[
                "2024-05-01T12:30:15Z",
                "2024-05-01t12:30:15.000z",
                "2024-05-01 12:30:15",
                "2024-05-01 12:30:15 UTC",
                "2024-05-01T14:30:15+02:00",
                "2024-05-01T07:30:15-0500",
                "2024/5/1 12:30:15",
                "20240501T123015Z",
                "20240501123015",
                "20240501123015000",
                "1714566615",
                "1714566615.0",
                "1714566615000",
                "1714566615000000",
            ][..],
            &[
                "2024-05-01",
                "20240501",
                "2024-05",
                "202405",
                "2024-05-01T00:00:00Z",
                "2024-05-01T00",
                "2024-05-01Z",
            ],
            &["2024", "2024-01-01", "2024-01-01T00:00:00Z"],
            &["202405011200", "2024-05-01T12:00Z", "2024-05-01T1200"],
            &["1700-03-01", "1700-03-01T00:00:00+00"],
        ] {
            let first = instant(same[0]);
            assert!(first.is_some());
            same.iter().for_each(|text| assert_eq!(instant(text), first, "{text}"));
        }
    }

    #[test]
    fn later_is_more() {
        let ordered = [
            "0001-01-01",
            "1605",
            "1650-02-03",
            "1999-06-01",
            "999999999",
            "2019-06-01",
            "1600000000",
            "1600000000.75",
            "2023-12-31",
            "2024-01-01",
            "2024-02-29",
            "2024-03-01",
            "2024-05-01T10:00:00Z",
            "2024-05-01T10:00:00.5Z",
            "2024-05-01T12:00:00",
            "2024-05-01T10:00:00-05:00",
            "2284-02-24",
            "2284-06-03",
            "9999-12-31T23:59:60.999999Z",
        ];
        assert!(ordered.is_sorted_by(|a, b| instant(a) < instant(b)), "{:?}", ordered.map(instant));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "3 May 2012",
            "version 9999",
            "1/2/2012",
            "2024-13-01",
            "2024-00-01",
            "2024-01-32",
            "2024-05-01T25:00",
            "2024-05-01T10:61",
            "20240501-extra",
            "2024-05-01-07",
            "2024-W18-3",
            "12345",
            "2024-05-01T10:00:00+x",
            "٢٠٢٤",
            "2024-05-01T10:00:00.5x",
            "2024é",
            "20é",
            "2024-05-01Té",
        ] {
            assert_eq!(instant(text), None, "{text}");
        }
    }
}
