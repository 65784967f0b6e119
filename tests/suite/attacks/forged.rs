//! Claims that only the service can make: received files and verified bodies.
