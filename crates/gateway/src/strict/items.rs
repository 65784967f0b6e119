//! The items of a list that an operation validates one by one. Items borrow from the input text
//! unless they contain escapes. This avoids building a `Value` per item.

use std::{ops::Range, slice};

/// The items of a list.
#[derive(Debug)]
pub struct Items {
    /// The text of the input.
    pub(super) text: String,
    pub(super) list: Vec<Tree>,
}

/// An item, or a value in an item, with the content that is validated.
#[derive(Debug, Clone, Copy)]
pub enum Item<'a> {
    Null,
    Text(&'a str),
    /// An object.
    Fields(Fields<'a>),
    /// A number, a list, or a boolean.
    Other,
}

/// The fields of an object, with unique names.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    text: &'a str,
    fields: &'a [(Text, Tree)],
}

/// The stored form of an item or of a value in it.
#[derive(Debug)]
pub(super) enum Tree {
    Null,
    Text(Text),
    Fields(Vec<(Text, Tree)>),
    Other,
}

/// A text, as a part of the input or resolved.
#[derive(Debug)]
pub(super) enum Text {
    /// A range of the input text; the text has no escapes.
    At(Range<usize>),
    /// The text with its escapes resolved.
    Resolved(String),
}

impl Items {
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The length of the whole input text, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = Item<'_>> {
        self.list.iter().map(|item| item.within(&self.text))
    }
}

impl<'a> Fields<'a> {
    #[must_use]
    pub fn len(self) -> usize {
        self.fields.len()
    }

    #[must_use]
    pub fn is_empty(self) -> bool {
        self.fields.is_empty()
    }
}

impl<'a> IntoIterator for Fields<'a> {
    type Item = (&'a str, Item<'a>);
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        Entries {
            text: self.text,
            fields: self.fields.iter(),
        }
    }
}

/// The names and values of [`Fields`].
#[derive(Debug)]
pub struct Entries<'a> {
    text: &'a str,
    fields: slice::Iter<'a, (Text, Tree)>,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a str, Item<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.fields.next()?;
        Some((name.within(self.text), value.within(self.text)))
    }
}

impl Tree {
    fn within<'a>(&'a self, text: &'a str) -> Item<'a> {
        match self {
            Self::Null => Item::Null,
            Self::Text(part) => Item::Text(part.within(text)),
            Self::Fields(fields) => Item::Fields(Fields { text, fields }),
            Self::Other => Item::Other,
        }
    }
}

impl Text {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::At(range) => range.len(),
            Self::Resolved(text) => text.len(),
        }
    }

    pub(super) fn within<'a>(&'a self, text: &'a str) -> &'a str {
        match self {
            Self::At(range) => &text[range.clone()],
            Self::Resolved(text) => text,
        }
    }
}
