//! A line-by-line parser of CSV (RFC 4180). Quoted fields may contain separators and line ends.

/// A record that is being parsed line by line.
#[derive(Default)]
pub(super) struct Record {
    fields: Vec<String>,
    field: String,
    state: State,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Start,
    Plain,
    Quoted,
    /// After a quote inside a quoted field. The quote ends the field, or is the first half of a
    /// doubled quote.
    Quote,
}

/// The error for text after the closing quote of a field.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AfterQuotes;

impl Record {
    /// Parses one more line. Returns `true` if the record is complete, and `false` if a quoted
    /// field is still open.
    pub(super) fn add_line(&mut self, line: &str, separator: char) -> Result<bool, AfterQuotes> {
        if self.state == State::Quoted {
            self.field.push('\n');
        }
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let after = &rest[c.len_utf8()..];
            (self.state, rest) = match self.state {
                State::Start if c == '"' => (State::Quoted, after),
                State::Start | State::Plain if c == separator => (self.end_field(), after),
                State::Start | State::Plain => self.push_until(separator, rest, State::Plain),
                State::Quoted if c == '"' => (State::Quote, after),
                State::Quoted => self.push_until('"', rest, State::Quoted),
                State::Quote if c == '"' => {
                    self.field.push(c);
                    (State::Quoted, after)
                }
                State::Quote if c == separator => (self.end_field(), after),
                State::Quote if c == ' ' => (State::Quote, after),
                State::Quote => return Err(AfterQuotes),
            };
        }
        if self.state == State::Quoted {
            return Ok(false);
        }
        self.end_field();
        Ok(true)
    }

    /// Returns the length in bytes of the field that is being parsed.
    pub(super) fn field_len(&self) -> usize {
        self.field.len()
    }

    pub(super) fn into_fields(self) -> Vec<String> {
        self.fields
    }

    /// Adds the text before `mark`, or all text without a mark. Returns the new state and the
    /// remaining text.
    fn push_until<'a>(&mut self, mark: char, text: &'a str, state: State) -> (State, &'a str) {
        let (before, rest) = text.split_at(text.find(mark).unwrap_or(text.len()));
        self.field.push_str(before);
        (state, rest)
    }

    fn end_field(&mut self) -> State {
        self.fields.push(std::mem::take(&mut self.field));
        State::Start
    }
}

/// Detects the separator: the candidate that occurs most often in the header.
pub(super) fn detect_separator(header: &str) -> char {
    let count = |separator: &char| header.matches(*separator).count();
    let mut known = [';', ',', '\t'].into_iter();
    let first = known.next().unwrap_or(',');
    known.fold(first, |most, next| {
        if count(&next) > count(&most) {
            next
        } else {
            most
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_record(lines: &[&str], separator: char) -> Result<Vec<String>, AfterQuotes> {
        let mut record = Record::default();
        for line in lines {
            record.add_line(line, separator)?;
        }
        Ok(record.into_fields())
    }

    #[test]
    fn a_quoted_field_can_contain_separators_line_ends_and_quotes() {
        for (lines, fields) in [
            (&["a;b;"][..], &["a", "b", ""][..]),
            (&["\"a;b\";c"], &["a;b", "c"]),
            (&["\"a", "b\";c"], &["a\nb", "c"]),
            (&["\"diz \"\"oi\"\"\";x"], &["diz \"oi\"", "x"]),
            (&["5\" de tela;x"], &["5\" de tela", "x"]),
            (&["\"\";\"\""], &["", ""]),
            (&["\"a\" ;b"], &["a", "b"]),
            (&["\"pães; é\";é\"ã\""], &["pães; é", "é\"ã\""]),
            (&["\"a\"\"", "\"\"\";\"\"\"\""], &["a\"\n\"", "\""]),
            (&[";"], &["", ""]),
        ] {
            let read = read_record(lines, ';').expect("a record");
            assert_eq!(read, fields, "{lines:?}");
        }
        assert_eq!(read_record(&["\"a\"b;c"], ';'), Err(AfterQuotes));
    }

    #[test]
    fn the_separator_is_detected_in_the_header() {
        assert_eq!(detect_separator("loja;valor, em reais;x"), ';');
        assert_eq!(detect_separator("loja,valor"), ',');
        assert_eq!(detect_separator("loja\tvalor"), '\t');
    }
}
