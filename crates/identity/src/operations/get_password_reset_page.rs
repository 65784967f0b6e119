use schemars::JsonSchema;
use serde::Deserialize;

use super::get_invitation_page::{POLICY, TEXT};
use gateway::{Access, Content, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};

/// The page on which a member sets a new password with the link in an e-mail. It is the same HTML as the
/// page of an invitation. The script selects the words by the path.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetPasswordResetPage {}

/// The table entry of the page.
pub const GET_PASSWORD_RESET_PAGE: Entry = Entry::for_page::<GetPasswordResetPage>(
    Spec::new(
        "get_password_reset_page",
        "Abrir a página da senha nova",
        Verb::Get,
        "/redefinir-senha",
    )
    .access(Access::Public)
    .serves(OutputForm::Html)
    .fails(&[500])
    .extension(),
    "A página em que quem esqueceu a senha define outra. O código do link fica no fragmento do \
     endereço, que o navegador não envia.",
);

impl Page for GetPasswordResetPage {
    async fn run(self, _: &Context<'_>) -> Result<Reply> {
        let page = TEXT
            .replace(
                "<title>Convite · Pauta</title>",
                "<title>Senha nova · Pauta</title>",
            )
            .replace(
                "Convite para a equipe na Pauta.",
                "Definir uma senha nova na Pauta.",
            );
        Ok(Reply::new(Content::Text(page.into()))
            .with_header("content-security-policy", POLICY)
            .with_header("referrer-policy", "no-referrer"))
    }
}
