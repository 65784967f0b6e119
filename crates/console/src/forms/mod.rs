//! Forms: drawing them, reading their fields, sending them to operations, and answering a refusal.
//!
//! Each rendered form has a random key. The idempotency key of the form's call is derived from this key
//! and from the input (`idempotency_key`). So sending the form again without a change has no second
//! effect, and an edited form is a new call.

mod conflict;
mod draw;
mod field_names;
mod fields;
mod for_people;
mod refusal;
mod send;
mod warnings;

pub(crate) use conflict::Conflict;
pub(crate) use draw::{key_field, operation_fields, operation_form, page_form, returned_key_field};
pub(crate) use field_names::field_in_words;
pub use field_names::is_worded_field;
pub(crate) use fields::{
    Field, field_texts, field_value, is_secret, nonblank_text, operation_input, parse_json,
    unix_lines,
};
pub use for_people::worded_refusals;
pub(crate) use for_people::{agree_gender, fault_in_words};
pub(crate) use refusal::{
    error_notice, fits_page, form_or_hint, is_stale, notice_reply, refuse_form, with_error_status,
};
pub(crate) use send::{keyed_input, redirect_after, with_key};
pub(crate) use warnings::{redirect_with_warnings, warnings_in_words};

/// The hidden field with the key of a form whose other fields are the input fields of an operation.
pub(crate) const KEY_FIELD: &str = "idempotency_key";
