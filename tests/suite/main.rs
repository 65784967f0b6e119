//! The whole service, tested through HTTP. One binary: SQLite by default, PostgreSQL with
//! `PAUTA_TEST_DATABASE_URL=postgres://…` (a user who may create databases).

mod access;
mod agenda;
mod artifacts;
mod attacks;
mod audit;
mod authorization;
mod command_line;
mod configuration;
mod connections;
mod contract;
mod email_drafts;
mod events;
mod faults;
mod hosted;
mod http;
mod identity;
mod images;
mod insights;
mod jobs;
mod keys;
mod kill;
mod knowledge;
mod limits;
mod media;
mod members;
mod migrations;
mod networks;
mod platforms;
mod projects;
mod races;
mod sign_in;
mod skills;
mod support;
mod workflow;
