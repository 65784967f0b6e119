//! Encoded forms, signed in and without a session.
