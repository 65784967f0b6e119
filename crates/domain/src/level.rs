//! Levels of personal tokens and roles of members.

use super::text_enum;

text_enum! {
    /// The upper limit of a personal token's rights, in ascending order.
    pub enum Level {
        Nenhum = "nenhum",
        Leitor = "leitor",
        Criador = "criador",
        Lider = "lider",
        Admin = "admin",
    }
}

text_enum! {
    /// A member's role in the team. It determines the rights of sessions and limits the rights of
    /// the member's tokens.
    pub enum Role {
        Criador = "criador",
        Lider = "lider",
        Admin = "admin",
    }
}

impl Role {
    /// Returns the level with the same rights as this role.
    #[must_use]
    pub const fn level(self) -> Level {
        match self {
            Role::Criador => Level::Criador,
            Role::Lider => Level::Lider,
            Role::Admin => Level::Admin,
        }
    }
}
