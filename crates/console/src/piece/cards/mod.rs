//! The page that corrects the cards of a carousel.
//!
//! Each button submits the whole form. A button that moves, copies, adds or removes a card returns the
//! form with its texts, so the page works without a script. With a script, htmx morphs the form and the
//! focus stays. The form contains the whole state: text and background of each card. The page that
//! receives the form compares this state with the sources of the cards, and sends only the differences
//! to `update_carousel`. A removed card stays in the form until the form is saved.
//!
//! A form that is based on an older revision is saved over the current revision if the media are still
//! the same and the form does not submit the piece. Otherwise the form is returned with its texts,
//! beside the currently stored cards.

mod deck;
mod draft;
mod draw;
mod faults;
mod page;
mod save;

pub(super) use page::PAGE;
pub(super) use save::SAVE;

/// The operation that saves the form.
const OPERATION: &str = "update_carousel";
/// The maximum number of cards in a carousel.
const MOST: usize = 10;
