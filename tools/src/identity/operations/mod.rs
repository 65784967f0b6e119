//! `/auth/v1`: the interface of the embedded identity, in the shape of GoTrue.
