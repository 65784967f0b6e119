//! `pauta token create`

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use tools::operator;

use super::{
    offline::{Email, open_offline},
    terminal::out,
};
use crate::{config::Sources, reason::into_anyhow};

#[derive(Args)]
pub(super) struct Create {
    #[command(flatten)]
    email: Email,
    /// Nome do token, para reconhecê-lo depois.
    #[arg(long, value_name = "NOME", default_value = "linha de comando")]
    label: String,
    /// Validade em dias (1–90).
    #[arg(long, value_name = "DIAS", default_value_t = 30)]
    days: u32,
    /// Só estas permissões, separadas por vírgula; sem isso, todas as que o membro pode usar.
    #[arg(long, value_name = "PERMISSÕES", value_delimiter = ',')]
    scopes: Option<Vec<String>>,
}

impl Create {
    pub(super) async fn run(self, sources: &Sources) -> Result<()> {
        let app = open_offline(sources).await?;
        let member = operator::principal_by_email(&app.gateway, &self.email.email)
            .await
            .map_err(into_anyhow)?;
        let mut input = json!({ "label": self.label, "expiresInDays": self.days });
        if let Some(scopes) = self.scopes {
            input["scopes"] = json!(scopes);
        }
        let answer = operator::run_operation(&app.gateway, &member, "create_my_token", input);
        let answer = answer.await.map_err(into_anyhow)?;
        out!(
            "{}",
            answer["token"]
                .as_str()
                .context("a resposta veio sem token")?
        );
        Ok(())
    }
}
