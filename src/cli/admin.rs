//! `pauta admin create`

use anyhow::{Context, Result};
use clap::Args;
use tools::operator::{NewAdmin, create_admin};

use super::offline::{Email, offline};
use crate::{config::Sources, reason::refusal};

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
        let app = offline(sources).await?;
        let admin = NewAdmin {
            name: self.name,
            email: self.email.email,
            financeiro: self.financeiro,
            password,
        };
        match create_admin(&app.gateway, admin).await.map_err(refusal)? {
            None => println!("Admin criado. Entre com o e-mail e a senha informada."),
            Some(link) => {
                println!("Admin criado. Abra este convite em até 72 horas para definir a senha:");
                println!("{link}");
            }
        }
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
