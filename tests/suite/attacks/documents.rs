//! Documents of OAuth clients, which a stranger chooses by their address.
