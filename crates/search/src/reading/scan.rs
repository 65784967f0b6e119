//! Finds a text in a stream of letters (Knuth, Morris and Pratt).

use std::ops::Range;

/// The search text.
pub(super) struct Needle {
    letters: Vec<char>,
    /// Maps each matched length to the length of the next shorter prefix that still matches.
    shorter: Vec<usize>,
}

impl Needle {
    /// Creates the search text; `None` if it is empty.
    pub fn new(letters: Vec<char>) -> Option<Self> {
        let mut shorter = vec![0; letters.len() + 1];
        let mut length = 0;
        for at in 1..letters.len() {
            while length > 0 && letters[at] != letters[length] {
                length = shorter[length];
            }
            length += usize::from(letters[at] == letters[length]);
            shorter[at + 1] = length;
        }
        (!letters.is_empty()).then_some(Self { letters, shorter })
    }
}

/// A running search. It stores the start positions of the latest letters, as many as the search
/// text has.
pub(super) struct Scan<'n> {
    needle: &'n Needle,
    matched: usize,
    starts: Vec<usize>,
    count: usize,
}

impl<'n> Scan<'n> {
    pub fn new(needle: &'n Needle) -> Self {
        Self {
            needle,
            matched: 0,
            starts: vec![0; needle.letters.len()],
            count: 0,
        }
    }

    /// Processes the next letter with its byte range. Returns the byte range of the match that ends
    /// with this letter.
    pub fn push(&mut self, letter: char, at: Range<usize>) -> Option<Range<usize>> {
        let Needle { letters, shorter } = self.needle;
        self.starts[self.count % letters.len()] = at.start;
        self.count += 1;
        while self.matched > 0 && letters[self.matched] != letter {
            self.matched = shorter[self.matched];
        }
        self.matched += usize::from(letters[self.matched] == letter);
        if self.matched < letters.len() {
            return None;
        }
        self.matched = shorter[self.matched];
        Some(self.starts[self.count % letters.len()]..at.end)
    }
}
