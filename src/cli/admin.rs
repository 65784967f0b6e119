//! `pauta admin create | invite | password`

use std::io::IsTerminal;

use anyhow::{Context, Result};
use clap::Args;
use tools::operator::{self, InvitedPerson, NewAdmin, create_admin};

use super::{
    offline::{Email, open_offline},
    terminal::{err, out},
};
use crate::{config::Sources, reason::into_anyhow};

/// Printed when a hosted issuer sends the invitation e-mail itself.
const WRITTEN: &str = "O provedor de identidade escreve à pessoa.";

#[derive(Args)]
pub(super) struct Create {
    /// Nome do admin.
    #[arg(long, value_name = "NOME")]
    name: String,
    #[command(flatten)]
    email: Email,
    /// Lê a senha da entrada padrão, em vez de imprimir um convite.
    #[arg(long)]
    password_stdin: bool,
    /// Dá também acesso ao painel de vendas.
    #[arg(long)]
    financeiro: bool,
}

impl Create {
    pub(super) async fn run(self, sources: &Sources) -> Result<()> {
        let password = if self.password_stdin {
            Some(read_password()?)
        } else {
            None
        };
        let app = open_offline(sources).await?;
        let admin = NewAdmin {
            name: self.name,
            email: self.email.email,
            financeiro: self.financeiro,
            password,
        };
        match create_admin(&app.gateway, admin)
            .await
            .map_err(into_anyhow)?
        {
            None => out!("Admin criado. Entre com o e-mail e a senha informada."),
            Some(InvitedPerson {
                link: Some(link), ..
            }) => {
                out!("Admin criado. Abra este convite em até 72 horas para definir a senha:");
                out!("{link}");
            }
            Some(InvitedPerson { remains, .. }) => {
                out!("Admin criado. {}", remains.unwrap_or(WRITTEN));
            }
        }
        Ok(())
    }
}

#[derive(Args)]
pub(super) struct Invite {
    #[command(flatten)]
    email: Email,
}

impl Invite {
    pub(super) async fn run(self, sources: &Sources) -> Result<()> {
        let app = open_offline(sources).await?;
        let invited = operator::invite_again(&app.gateway, &self.email.email).await;
        match invited.map_err(into_anyhow)? {
            InvitedPerson {
                link: None,
                remains,
            } => {
                out!("Convite refeito. {}", remains.unwrap_or(WRITTEN));
            }
            InvitedPerson {
                link: Some(link), ..
            } => {
                out!(
                    "Convite refeito. Ele vale 72 horas, e o anterior já não vale. Para definir a \
                     senha, abra:"
                );
                out!("{link}");
            }
        }
        Ok(())
    }
}

#[derive(Args)]
pub(super) struct Password {
    #[command(flatten)]
    email: Email,
}

impl Password {
    pub(super) async fn run(self, sources: &Sources) -> Result<()> {
        if std::io::stdin().is_terminal() {
            err!("Senha nova (ela aparece ao digitar), e Enter:");
        }
        let password = read_password()?;
        let app = open_offline(sources).await?;
        let revoked = operator::set_password(&app.gateway, &self.email.email, &password);
        let revoked = revoked.await.map_err(into_anyhow)?;
        out!(
            "Senha definida. As sessões desta pessoa terminaram; tokens pessoais revogados: {}; \
             calendários revogados: {}.",
            revoked.tokens,
            revoked.calendars
        );
        Ok(())
    }
}

fn read_password() -> Result<String> {
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .context("a senha não pôde ser lida")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
