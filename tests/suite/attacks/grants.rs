//! What an agent was granted, and everything that ends it.
