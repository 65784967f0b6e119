//! Floods by callers without a credential.
