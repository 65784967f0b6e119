//! Decides which parts of an HTML page are displayed.

/// Elements whose text is not displayed.
const SILENT: [&str; 9] = [
    "script", "style", "template", "noscript", "svg", "head", "iframe", "textarea", "title",
];
/// Inline elements: they do not separate the text before and after them.
const INLINE: [&str; 34] = [
    "a", "abbr", "b", "bdi", "bdo", "button", "cite", "code", "data", "del", "dfn", "em", "font",
    "i", "img", "input", "ins", "kbd", "label", "mark", "picture", "q", "s", "samp", "small",
    "source", "span", "strong", "sub", "sup", "time", "u", "var", "wbr",
];
/// Elements allowed in the head; any other element ends it.
const OF_HEAD: [&str; 10] = [
    "base", "basefont", "bgsound", "link", "meta", "noscript", "script", "style", "template",
    "title",
];

/// True if the element is inline.
pub(crate) fn is_inline(name: &str) -> bool {
    INLINE.contains(&name)
}

/// Determines from the tags of a page which text is hidden. Stores only the outermost hidden
/// element, at any depth of nesting.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// The outermost hidden element, and the number of open elements of the same name inside it.
    silent: Option<(String, usize)>,
}

impl Shown {
    /// Returns the hidden element that is currently open.
    pub fn hidden_element(&self) -> Option<&str> {
        self.silent.as_ref().map(|(name, _)| name.as_str())
    }

    /// Processes a start tag. Returns whether its element is displayed.
    pub fn process_start_tag(&mut self, name: &str, self_closing: bool) -> bool {
        // Only SVG elements can be self-closing: elsewhere browsers ignore the slash.
        let self_closing = self_closing && name == "svg";
        // The end tag of the head is optional.
        if self.hidden_element() == Some("head") && !OF_HEAD.contains(&name) {
            self.silent = None;
        }
        match &mut self.silent {
            Some((silent, depth)) => {
                *depth += usize::from(silent == name && !self_closing);
                false
            }
            None if SILENT.contains(&name) && !self_closing => {
                self.silent = Some((name.to_owned(), 0));
                false
            }
            None => true,
        }
    }

    /// Processes an end tag. Returns whether its element was displayed.
    pub fn process_end_tag(&mut self, name: &str) -> bool {
        match &mut self.silent {
            Some((silent, 0)) if silent == name => {
                self.silent = None;
                false
            }
            Some((silent, depth)) => {
                *depth -= usize::from(silent == name);
                false
            }
            None => true,
        }
    }
}
