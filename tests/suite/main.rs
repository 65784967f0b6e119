//! The whole service, tested through HTTP. One binary: SQLite by default, PostgreSQL with
//! `PAUTA_TEST_DATABASE_URL=postgres://…` (a user who may create databases).

mod support;
mod workflow;
