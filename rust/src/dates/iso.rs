//! ISO 8601 dates → microseconds since 1970 UTC.
//!
//! Taken: `2021-03-04` and `20210304`, alone (midnight) or followed by `T` or a space and `hh`, `hh:mm`, `hh:mm:ss`
//! or the same without colons, a fraction of seconds after `.` or `,` (cut to microseconds), and `Z`, `±hh`, `±hhmm`
//! or `±hh:mm`, which a space may precede. Without a zone the time is UTC. 24:00 is the next midnight, a leap second
//! the second after it. Years 1 to 9999. Week and ordinal dates, and dates without a day, are not taken: a year
//! alone would claim to be earlier than everything else of that year.

/// The moment of a date that cannot be read: after all dates.
pub const UNDATED: i64 = i64::MAX;

const SECOND: i64 = 1_000_000;

/// The microseconds since 1970 UTC of an ISO 8601 date; None for any other text.
pub fn iso_microseconds(text: &[u8]) -> Option<i64> {
    let mut rest = Rest(text.trim_ascii());
    let year = rest.digits(4)?;
    let dashed = rest.eat(b'-');
    let month = rest.digits(2)?;
    if dashed != rest.eat(b'-') {
        return None;
    }
    let day = rest.digits(2)?;
    if year == 0 || !(1..=12).contains(&month) || day == 0 || day > days_in_month(year, month) {
        return None;
    }
    let midnight = days_since_1970(year, month, day) * 86_400 * SECOND;
    if rest.0.is_empty() {
        return Some(midnight);
    }
    if !(rest.eat(b'T') || rest.eat(b't') || rest.eat(b' ')) {
        return None;
    }
    let time = rest.time()?;
    let zone = rest.zone()?;
    rest.0.is_empty().then_some(midnight + time - zone)
}

/// What is still to be read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn eat(&mut self, byte: u8) -> bool {
        let there = self.0.first() == Some(&byte);
        if there {
            self.0 = &self.0[1..];
        }
        there
    }

    fn starts_with_digit(&self) -> bool {
        self.0.first().is_some_and(u8::is_ascii_digit)
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        digits.iter().try_fold(0, |n, d| d.is_ascii_digit().then(|| n * 10 + i64::from(d - b'0')))
    }

    fn time(&mut self) -> Option<i64> {
        let hour = self.digits(2)?;
        let (mut minute, mut second, mut fraction) = (0, 0, 0);
        let colons = self.eat(b':');
        if colons || self.starts_with_digit() {
            minute = self.digits(2)?;
            if if colons { self.eat(b':') } else { self.starts_with_digit() } {
                second = self.digits(2)?;
                if self.eat(b'.') || self.eat(b',') {
                    fraction = self.fraction()?;
                }
            }
        }
        let time = ((hour * 60 + minute) * 60 + second) * SECOND + fraction;
        let in_range = hour <= 24 && minute <= 59 && second <= 60 && (hour < 24 || time == 86_400 * SECOND);
        in_range.then_some(time)
    }

    fn fraction(&mut self) -> Option<i64> {
        let count = self.0.iter().take_while(|b| b.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let six = digits.iter().copied().chain(std::iter::repeat(b'0')).take(6);
        (count > 0).then(|| six.fold(0, |n, d| n * 10 + i64::from(d - b'0')))
    }

    fn zone(&mut self) -> Option<i64> {
        if self.0.is_empty() {
            return Some(0);
        }
        self.eat(b' ');
        if self.eat(b'Z') || self.eat(b'z') {
            return Some(0);
        }
        let sign = if self.eat(b'+') {
            1
        } else if self.eat(b'-') {
            -1
        } else {
            return None;
        };
        let hours = self.digits(2)?;
        let minutes = if self.eat(b':') || !self.0.is_empty() { self.digits(2)? } else { 0 };
        (hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes) * 60 * SECOND)
    }
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days between 1970-01-01 and a date of the Gregorian calendar; the year is taken to begin in March.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::iso_microseconds;

    #[test]
    fn dates_of_all_forms_are_read() {
        let noon = 1_614_859_200_000_000;
        for form in ["2021-03-04T12:00:00Z", "20210304T12", " 2021-03-04 14:00 +02:00 ", "2021-03-04t07:00:00.0-0500"] {
            assert_eq!(iso_microseconds(form.as_bytes()), Some(noon), "{form}");
        }
        assert_eq!(iso_microseconds(b"1970-01-01"), Some(0));
        assert_eq!(iso_microseconds(b"1969-12-31T23:59:59.9999999"), Some(-1));
        assert_eq!(iso_microseconds(b"1969-12-31T24:00"), Some(0));
    }

    #[test]
    fn other_forms_are_not() {
        for form in ["", "2021", "2021-03", "2021-0304", "2021-02-29", "0000-01-01", "2021-03-04T", "2021-03-04T25:00"]
        {
            assert_eq!(iso_microseconds(form.as_bytes()), None, "{form}");
        }
        for form in
            ["2021-03-04T24:01", "2021-03-04T12:00 UTC", "4 March 2021", "2021-03-04T12:00:00+1", "２０２１-03-04"]
        {
            assert_eq!(iso_microseconds(form.as_bytes()), None, "{form}");
        }
    }
}
