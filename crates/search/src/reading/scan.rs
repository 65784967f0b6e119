//! Looks for a text in letters that arrive one by one (Knuth, Morris and Pratt).

use std::ops::Range;

/// The text that is looked for.
pub(super) struct Needle {
    letters: Vec<char>,
    /// For each length that matched: the longest shorter length that matches still.
    shorter: Vec<usize>,
}

impl Needle {
    /// `None` when there is nothing to look for.
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

/// One search. It keeps where the latest letters began, as many as the text has.
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

    /// Takes the next letter and its bytes. Returns the bytes of the text that ends with it, if one does.
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
