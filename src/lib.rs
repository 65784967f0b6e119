//! Pauta, the service: configuration, the REST and MCP projections of the tool registry, the
//! artifacts rendered from it, and the command line.

pub mod app;
pub mod artifacts;
mod background;
pub mod cli;
pub mod config;
pub mod intake;
pub mod mcp;
mod private;
pub mod providers;
mod reason;
pub mod rest;
pub mod server;
