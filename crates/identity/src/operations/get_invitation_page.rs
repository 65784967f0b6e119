use schemars::JsonSchema;
use serde::Deserialize;

use gateway::{Access, Content, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};

/// The page on which an invitation is redeemed. The invitation token is in the fragment of the URL,
/// which browsers do not send.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetInvitationPage {}

/// The table entry of the page.
pub const GET_INVITATION_PAGE: Entry = Entry::for_page::<GetInvitationPage>(
    Spec::new(
        "get_invitation_page",
        "Abrir a página do convite",
        Verb::Get,
        "/convite",
    )
    .access(Access::Public)
    .serves(OutputForm::Html)
    .fails(&[500])
    .extension(),
    "A página em que uma pessoa convidada define sua senha. O código do convite fica no fragmento \
     do endereço, que o navegador não envia.",
);

/// The text of the page.
pub(super) const TEXT: &str = include_str!("invitation.html");
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

impl Page for GetInvitationPage {
    async fn run(self, _: &Context<'_>) -> Result<Reply> {
        Ok(Reply::new(Content::Text(TEXT.into()))
            .with_header("content-security-policy", POLICY)
            .with_header("referrer-policy", "no-referrer"))
    }
}
