//! The remarks of a piece: their section on the page of the piece and in the inbox, and the page
//! that receives their forms.
//!
//! A form with a text has its own page, because the place of the remark is built from several fields,
//! and because browsers send texts with CRLF line ends. The other forms call operations directly.

mod answered;
mod draw;
mod forms;
mod mentions;
mod model;
mod of_draft;
mod receive;

pub(crate) use draw::remarks_section;
pub(super) use forms::answered_fields;
pub(crate) use mentions::{PAGE as MENTIONS, PATH as MENTIONS_PATH};
pub(crate) use model::{Extent, Remarks};
pub(crate) use of_draft::draft_remarks_section;
pub(super) use receive::RECEIVE;
