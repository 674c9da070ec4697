//! Nested columns → JSON lines, as Python's `json` writes them.
//!
//! A record is a column for each of its fields; a list is the column of all its values and the offsets of each row's, as Arrow has it.
//! So many records become text in one call, and none of them an object before.

use std::io::Write as _;

use crate::shingles::check_offsets;
use crate::{Invalid, Result};

/// The values of some rows.
#[derive(Debug)]
pub enum Column<'a> {
    /// Texts, some of them null, by their places in a table; null at -1.
    Texts(Vec<Option<&'a str>>, &'a [i64]),
    /// Whole numbers.
    Whole(&'a [i64]),
    /// Numbers; what is not one is null.
    Real(&'a [f64]),
    /// True or false.
    Truth(&'a [bool]),
    /// Row i is the list of the values `offsets[i]..offsets[i + 1]`.
    Lists(&'a [i64], Box<Column<'a>>),
    /// Fields by their names.
    Records(Vec<(String, Column<'a>)>),
    /// Values of which those of some rows are not present, but null.
    Maybe(&'a [bool], Box<Column<'a>>),
}

/// The rows as lines of JSON.
///
/// # Errors
/// When columns do not fit each other.
pub fn json_lines(column: &Column<'_>) -> Result<String> {
    let rows = column.rows();
    column.check(rows)?;
    let mut lines = Vec::new();
    for row in 0..rows {
        column.write(row, &mut lines);
        lines.push(b'\n');
    }
    String::from_utf8(lines).map_err(|error| Invalid(error.to_string()))
}

impl Column<'_> {
    fn rows(&self) -> usize {
        match self {
            Self::Texts(_, values) | Self::Whole(values) => values.len(),
            Self::Real(values) => values.len(),
            Self::Truth(values) => values.len(),
            Self::Lists(offsets, _) => offsets.len().saturating_sub(1),
            Self::Maybe(present, _) => present.len(),
            Self::Records(fields) => fields.first().map_or(0, |(_, first)| first.rows()),
        }
    }

    fn check(&self, rows: usize) -> Result<()> {
        if self.rows() != rows {
            return Err(Invalid(format!("expected columns of {rows} rows, got one of {}", self.rows())));
        }
        match self {
            Self::Texts(texts, places) => {
                let are_there = places.iter().all(|place| (-1..texts.len() as i64).contains(place));
                are_there.then_some(()).ok_or_else(|| Invalid(format!("expected places under {}", texts.len())))
            }
            Self::Lists(offsets, of) => {
                let values = of.rows();
                check_offsets(offsets, values, "values")?;
                of.check(values)
            }
            Self::Records(fields) => fields.iter().try_for_each(|(_, field)| field.check(rows)),
            Self::Maybe(_, of) => of.check(rows),
            _ => Ok(()),
        }
    }

    // Writing to a vector cannot fail.
    fn write(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Self::Texts(texts, places) => {
                write_text(usize::try_from(places[row]).ok().and_then(|place| texts[place]), out);
            }
            Self::Whole(values) => {
                let _ = write!(out, "{}", values[row]);
            }
            Self::Real(values) => write_number(values[row], out),
            Self::Truth(values) => out.extend(if values[row] { &b"true"[..] } else { b"false" }),
            Self::Lists(offsets, of) => {
                out.push(b'[');
                for at in offsets[row]..offsets[row + 1] {
                    out.extend(if at > offsets[row] { &b", "[..] } else { b"" });
                    of.write(at as usize, out);
                }
                out.push(b']');
            }
            Self::Maybe(present, _) if !present[row] => out.extend(b"null"),
            Self::Maybe(_, of) => of.write(row, out),
            Self::Records(fields) => {
                out.push(b'{');
                for (number, (name, field)) in fields.iter().enumerate() {
                    out.extend(if number > 0 { &b", "[..] } else { b"" });
                    write_text(Some(name), out);
                    out.extend(b": ");
                    field.write(row, out);
                }
                out.push(b'}');
            }
        }
    }
}

fn write_text(text: Option<&str>, out: &mut Vec<u8>) {
    let _ = serde_json::to_writer(out, &text);
}

/// A number as Python writes it: as Rust does, but for what is no number and for exponents.
fn write_number(value: f64, out: &mut Vec<u8>) {
    let _ = match format!("{value:?}").split_once('e') {
        _ if value.is_nan() => write!(out, "null"),
        _ if value.is_infinite() => write!(out, "{}Infinity", if value < 0.0 { "-" } else { "" }),
        Some((digits, exponent)) => {
            let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
            write!(out, "{digits}e{sign}{exponent:0>2}")
        }
        None => write!(out, "{value:?}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record<'a>(name: &str, field: Column<'a>) -> Column<'a> {
        Column::Records(vec![(name.to_owned(), field)])
    }

    #[test]
    fn nested_columns_are_lines_of_json() {
        let parents = record("id", Column::Texts(vec![Some("a\"b"), None], &[0, 0, 1, -1]));
        let parents = Column::Maybe(&[true, false, true, true], Box::new(parents));
        let lines = json_lines(&record("list", Column::Lists(&[0, 3, 3, 4], Box::new(parents)))).unwrap();
        let expected =
            [r#"{"list": [{"id": "a\"b"}, null, {"id": null}]}"#, r#"{"list": []}"#, r#"{"list": [{"id": null}]}"#];
        assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn numbers_are_written_as_python_writes_them() {
        let values = [0.5, 1.0, 1e-6, 2.5e-5, 1e-4, 1e16, 1.5e300, f64::NAN, f64::NEG_INFINITY, -0.0];
        let lines = json_lines(&Column::Real(&values)).unwrap();
        let expected = ["0.5", "1.0", "1e-06", "2.5e-05", "0.0001", "1e+16", "1.5e+300", "null", "-Infinity", "-0.0"];
        assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn columns_that_do_not_fit_are_refused() {
        let wrong = [
            Column::Truth(&[true]),
            Column::Texts(vec![], &[-1, 0]),
            Column::Lists(&[0, 1, 2], Box::new(Column::Real(&[1.0]))),
            Column::Maybe(&[true, false], Box::new(Column::Whole(&[1]))),
            record("c", Column::Whole(&[1])),
        ];
        for field in wrong {
            let fields = vec![("a".to_owned(), Column::Whole(&[1, 2])), ("b".to_owned(), field)];
            assert!(json_lines(&Column::Records(fields)).is_err());
        }
    }
}
