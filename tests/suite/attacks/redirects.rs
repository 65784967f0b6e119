//! Ways back after signing in, and addresses to which an authorization returns.
