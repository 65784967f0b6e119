use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CONNECTION, Connections, callback_page, provider_name::ProviderName, state};
use domain::Capability;
use gateway::{Access, Code, Context, Headers, Operation, Result, Spec, Verb};
use ports::Authorization;

/// Começa a conexão da equipe com uma rede social.
///
/// Abra o `url` da resposta no mesmo navegador em até 10 minutos: a autorização só é aceita onde
/// começou, e uma vez. Começar de novo invalida o começo anterior da mesma pessoa nessa rede.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct StartOauthConnection {
    /// Rede registrada: `shortvideo`, `instagram`, `youtube` ou `linkedin`.
    provider: ProviderName,
}

/// Onde a pessoa autoriza.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OauthConnectionStarted {
    /// Endereço de autorização da rede.
    #[schemars(extend("format" = "uri"))]
    url: String,
    #[serde(skip)]
    cookie: String,
}

impl Operation for StartOauthConnection {
    const SPEC: Spec = Spec::new(
        "start_o_auth_connection",
        "Começar a conectar uma rede social",
        Verb::Post,
        "/oauth/{provider}/start",
    )
    .access(Access::Session(Capability::Connections))
    .about(CONNECTION, "provider")
    .fails(&[404])
    .needs_provider(Code::NOT_FOUND)
    .unkeyed()
    .text_errors()
    .announces_nothing();
    type Output = OauthConnectionStarted;

    fn headers(output: &OauthConnectionStarted) -> Headers {
        vec![("set-cookie", output.cookie.clone().into())]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<OauthConnectionStarted> {
        let services = ctx.services;
        let network = services
            .parts
            .get::<Connections>()
            .require_network(&self.provider.0)?;
        let started = state::begin_oauth_flow(ctx, network.name(), &ctx.caller()?.member).await?;
        let redirect_uri = callback_page::redirect_uri(&services.public_url, network.name());
        let url = network.authorization_url(Authorization {
            state: &started.state,
            redirect_uri: &redirect_uri,
            verifier: &state::pkce_verifier(&services.keys, &started.state),
        });
        Ok(OauthConnectionStarted {
            url,
            cookie: callback_page::set_cookie_header(
                &redirect_uri,
                network.name(),
                &started.cookie,
            ),
        })
    }
}
