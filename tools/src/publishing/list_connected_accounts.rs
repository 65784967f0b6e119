use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Connections;
use domain::{Capability, ConnectionStatus, Cursor, Limit, ListPage, MemberId, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::connections::{self, Connection};

/// Lista as redes que o serviço pode conectar (`providers`; vazia, nenhuma foi configurada) e as contas
/// conectadas, com nome, estado e validade.
///
/// Consulte antes de `publish_shortvideo`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListConnectedAccounts {
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Redes e contas.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConnectedAccounts {
    /// Redes registradas: as que podem ser conectadas.
    providers: Vec<&'static str>,
    accounts: Vec<ConnectedAccount>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

/// Conta conectada.
#[derive(Debug, Serialize, JsonSchema)]
struct ConnectedAccount {
    provider: String,
    /// Identificador na rede.
    account_id: String,
    display_name: String,
    /// Imagem da conta, na rede.
    avatar_url: Option<String>,
    scopes: Vec<String>,
    connected_by: MemberId,
    connected_by_name: String,
    connected_at: Timestamp,
    /// Até quando a conexão vale sem ser renovada; a renovação é automática.
    expires_at: Timestamp,
    /// `expired` pede que um admin conecte de novo; `revoked` foi desconectada.
    status: ConnectionStatus,
    /// Código da última renovação que falhou; a próxima tentativa é automática.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
}

impl ConnectedAccount {
    fn from_connection(connection: Connection, status: ConnectionStatus) -> Self {
        Self {
            status,
            provider: connection.provider,
            account_id: connection.account_id,
            display_name: connection.display_name,
            avatar_url: connection.avatar_url,
            scopes: connection.scopes,
            connected_by: connection.connected_by,
            connected_by_name: connection.connected_by_name,
            connected_at: Timestamp(connection.connected_at),
            expires_at: Timestamp(connection.expires_at),
            last_error: connection.last_error,
        }
    }
}

impl Operation for ListConnectedAccounts {
    const SPEC: Spec = Spec::new(
        "list_connected_accounts",
        "Listar contas conectadas",
        Verb::Get,
        "/oauth/_accounts",
    )
    .access(Access::Member(Capability::ConnectionsView))
    .tool();
    type Output = ConnectedAccounts;

    async fn run(self, ctx: &Context<'_>) -> Result<ConnectedAccounts> {
        let known = ctx.services.parts.get::<Connections>();
        let mut found = connections::list(&ctx.db()).await?;
        if let Some(cursor) = &self.cursor {
            let (after,): (String,) = cursor.decode_position()?;
            found.retain(|connection| connection.provider > after);
        }
        let page = ListPage::from_fetched_rows(found, self.limit, |last| (last.provider.clone(),));
        Ok(ConnectedAccounts {
            providers: known.networks().map(|network| network.name()).collect(),
            accounts: { page.rows.into_iter() }
                .map(|connection| {
                    let status = known.current_status(&connection);
                    ConnectedAccount::from_connection(connection, status)
                })
                .collect(),
            next_cursor: page.next_cursor,
        })
    }
}
