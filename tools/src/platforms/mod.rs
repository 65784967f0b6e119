//! Passwords of the team's platforms, for administrators.

mod get_platform_password;
mod list_platform_passwords;
mod new_password;
mod password;
mod put_platform_password;

pub use get_platform_password::GetPlatformPassword;
pub use list_platform_passwords::ListPlatformPasswords;
pub use password::Secret;
pub use put_platform_password::PutPlatformPassword;

use gateway::{Area, Resource};

/// A platform; its id is the name that the team gives it.
const PLATFORM: Resource = Resource::new("platform");

/// The area of these operations.
pub const AREA: Area = Area::new(
    "platforms",
    "Senhas das plataformas da equipe, cifradas e com cada leitura na auditoria.",
);
