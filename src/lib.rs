//! Pauta, the service: configuration, the REST and MCP projections of the tool registry, the
//! artifacts rendered from it, and the command line.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod app;
pub mod artifacts;
mod background;
pub mod cli;
pub mod config;
pub mod http;
pub mod intake;
pub mod mcp;
pub mod networks;
mod privacy;
mod private;
mod process;
pub mod providers;
mod reason;
pub mod server;
pub mod traces;
mod views;

use axum::Router;

/// Builds the router with all routes of the service.
pub fn router(app: &app::App) -> Router {
    http::router(app, &mcp::mcp_route(app))
}
