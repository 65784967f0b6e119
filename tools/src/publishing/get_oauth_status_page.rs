use schemars::JsonSchema;
use serde::Deserialize;

use super::{Connections, html::Sheet, provider_name::ProviderName};
use domain::{
    Capability, ConnectionStatus,
    time::{LocalDate, Millis},
};
use gateway::{Access, Code, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};
use store::connections;

/// Serves a page that shows the state of a connection.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetOauthStatusPage {
    /// Rede registrada.
    provider: ProviderName,
}

/// The entry of the status page in the table of areas.
pub const GET_OAUTH_STATUS_PAGE: Entry = Entry::for_page::<GetOauthStatusPage>(
    Spec::new(
        "get_o_auth_status_page",
        "Ver o estado de uma conexão",
        Verb::Get,
        "/oauth/{provider}/status",
    )
    .access(Access::Member(Capability::ConnectionsView))
    .serves(OutputForm::Html)
    .fails(&[401, 403, 404, 429, 500])
    .faulty_as(Code::NOT_FOUND)
    .needs_provider(Code::NOT_FOUND),
    "O estado da conexão com uma rede, em uma página para pessoas: conta, validade, renovação e a \
     última falha.",
);

impl Page for GetOauthStatusPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let known = ctx.services.parts.get::<Connections>();
        let network = known.require_network(&self.provider.0)?;
        let found = connections::find(&ctx.db(), network.name()).await?;
        let title = network.title();
        let Some(connection) = found else {
            let sheet = Sheet {
                title: format!("{title}: não conectado"),
                paragraphs: vec!["Um admin conecta a conta na console.".into()],
                facts: vec![],
            };
            return Ok(sheet.into_reply());
        };
        let (state, advice) = match known.current_status(&connection) {
            ConnectionStatus::Active => ("conectado", "A renovação é automática."),
            ConnectionStatus::Expired => ("expirado", "Um admin precisa conectar de novo."),
            ConnectionStatus::Revoked => ("desconectado", "Um admin conecta de novo na console."),
        };
        let mut facts = vec![
            ("Conta", connection.display_name),
            ("Identificador na rede", connection.account_id),
            ("Permissões", connection.scopes.join(", ")),
            ("Conectada por", connection.connected_by_name),
            ("Conectada em", moment_text(connection.connected_at)),
            ("Credencial vale até", moment_text(connection.expires_at)),
        ];
        if connection.renew_at < i64::MAX && connection.status == ConnectionStatus::Active {
            facts.push(("Próxima renovação", moment_text(connection.renew_at)));
        }
        if let Some(error) = connection.last_error {
            facts.push(("Última falha", error));
            facts.push(("Falhas seguidas", connection.failures.to_string()));
        }
        let sheet = Sheet {
            title: format!("{title}: {state}"),
            paragraphs: vec![advice.into()],
            facts,
        };
        Ok(sheet.into_reply())
    }
}

/// Returns the text of an instant in Brasilia time, for users.
fn moment_text(instant: Millis) -> String {
    format!("{} (Brasília)", LocalDate::from_instant(instant))
}
