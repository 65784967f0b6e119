//! The displayed parts of an HTML page.

use std::ops::Range;

use html5gum::{
    Span, StringReader, Tokenizer,
    emitters::callback::{Callback, CallbackEmitter, CallbackEvent},
};

use crate::shown::{Shown, is_inline};

/// A part of the displayed content.
pub(super) enum Piece {
    /// A byte range of text in the source, with undecoded entities.
    Text(Range<usize>),
    /// The byte range of a tag that separates the text before and after it.
    Break(Range<usize>),
}

/// Returns the displayed parts of a page, in order.
pub(super) fn displayed_pieces(html: &str) -> impl Iterator<Item = Piece> {
    let mut emitter: CallbackEmitter<Reader, Piece, usize> = CallbackEmitter::default();
    // Makes the tokenizer read the contents of scripts, styles and titles as text, not as markup.
    emitter.naively_switch_states(true);
    let tokens: Tokenizer<StringReader<'_>, _> = Tokenizer::new_with_emitter(html, emitter);
    tokens.filter_map(Result::ok).filter(|piece| {
        let (Piece::Text(at) | Piece::Break(at)) = piece;
        html.get(at.clone()).is_some_and(|part| !part.is_empty())
    })
}

#[derive(Default)]
struct Reader {
    shown: Shown,
    /// The name of the start tag being read.
    open: String,
}

impl Callback<Piece, usize> for Reader {
    fn handle_event(&mut self, event: CallbackEvent<'_>, span: Span<usize>) -> Option<Piece> {
        let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        let breaks = |is_shown: bool, name: &str| {
            let breaks = is_shown && !is_inline(name);
            breaks.then_some(Piece::Break(span.start..span.end))
        };
        match event {
            CallbackEvent::OpenStartTag { name: tag } => {
                self.open = name(tag);
                None
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                let is_shown = self.shown.process_start_tag(&self.open, self_closing);
                breaks(is_shown, &self.open)
            }
            CallbackEvent::EndTag { name: tag } => {
                let tag = name(tag);
                breaks(self.shown.process_end_tag(&tag), &tag)
            }
            CallbackEvent::String { .. } if self.shown.hidden_element().is_none() => {
                Some(Piece::Text(span.start..span.end))
            }
            _ => None,
        }
    }
}
