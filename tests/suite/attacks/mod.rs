//! Attacks on the service, by class. The name of each test says what the attacker tries.

mod addresses;
mod costs;
mod documents;
mod forged;
mod forms;
mod grants;
mod hosts;
mod imports;
mod redirects;
mod strangers;
mod upload_links;
