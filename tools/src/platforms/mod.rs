//! Passwords of the team's platforms, for administrators.

mod area;
mod get_platform_password;
mod list_platform_passwords;
mod new_password;
mod password;
mod put_platform_password;

pub use area::AREA;
pub use get_platform_password::GetPlatformPassword;
pub use list_platform_passwords::ListPlatformPasswords;
pub use password::Secret;
pub use put_platform_password::PutPlatformPassword;

use gateway::Resource;

/// A platform. Its id is the name that the team gave it.
const PLATFORM: Resource = Resource::new("platform");
