use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use domain::{Capability, MailId, MailKind, MailState, MemberId, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::mails::{self, Undelivered};

/// Maximum number of e-mails in the list.
const MOST: i64 = 50;

/// Lista os últimos e-mails a membros que não chegaram, ou que talvez não, do mais novo ao mais antigo.
///
/// Sem o texto deles. Ficam na lista por 30 dias.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListUndeliveredMails {}

/// Os e-mails; no máximo cinquenta.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UndeliveredMails {
    emails: Vec<UndeliveredMail>,
}

/// E-mail que não chegou.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UndeliveredMail {
    id: MailId,
    tipo: MailKind,
    estado: MailState,
    /// A quem ia; nulo se o endereço não é de ninguém da equipe.
    member_id: Option<MemberId>,
    member_name: Option<String>,
    criado_em: Timestamp,
    /// Quando se desistiu dele.
    encerrado_em: Timestamp,
    /// Por que não chegou, em uma frase.
    motivo: String,
    /// O que fazer.
    proximo_passo: &'static str,
}

impl Operation for ListUndeliveredMails {
    const SPEC: Spec = Spec::new(
        "list_undelivered_mails",
        "Listar e-mails que não chegaram",
        Verb::Get,
        "/api/emails-nao-entregues",
    )
    .access(Access::Session(Capability::Members))
    .extension();
    type Output = UndeliveredMails;

    async fn run(self, ctx: &Context<'_>) -> Result<UndeliveredMails> {
        let mails = mails::list_undelivered(&ctx.db(), MOST).await?;
        Ok(UndeliveredMails {
            emails: mails.into_iter().map(Into::into).collect(),
        })
    }
}

impl From<Undelivered> for UndeliveredMail {
    fn from(mail: Undelivered) -> Self {
        let (member_id, member_name) = mail.member.unzip();
        Self {
            motivo: describe_reason(mail.state, mail.kind, mail.reply),
            proximo_passo: next_step(mail.state, mail.kind),
            id: mail.id,
            tipo: mail.kind,
            estado: mail.state,
            member_id,
            member_name,
            criado_em: Timestamp(mail.created_at),
            encerrado_em: Timestamp(mail.ended_at),
        }
    }
}

/// Describes why an e-mail did not arrive. `reply` is the last reply code of the mail server; 0 means
/// that the e-mail cannot be composed, mostly because its address is invalid.
fn describe_reason(state: MailState, kind: MailKind, reply: Option<i64>) -> String {
    let code = reply.filter(|code| *code > 0);
    let code = code.map(|code| format!(" ({code})")).unwrap_or_default();
    match state {
        MailState::Bounced => {
            format!("O servidor respondeu que o endereço não existe ou não recebe{code}.")
        }
        MailState::Refused if reply == Some(0) => {
            "O endereço da pessoa não pode ser escrito num e-mail.".to_owned()
        }
        MailState::Refused => format!("O servidor recusou o e-mail{code}."),
        MailState::Expired if kind == MailKind::PasswordReset => {
            format!("O link venceu antes que o servidor aceitasse o e-mail{code}.")
        }
        MailState::Expired => {
            format!("Por três dias, nenhum servidor de e-mail o aceitou{code}.")
        }
        _ => "A conexão ou o processo terminou durante o envio: não se sabe se saiu.".to_owned(),
    }
}

/// Returns the next step for an admin. The service never repeats an e-mail that may have arrived.
fn next_step(state: MailState, kind: MailKind) -> &'static str {
    match (state, kind) {
        (MailState::Bounced, _) => "Confira o endereço com a pessoa.",
        (MailState::Refused, _) => "Mostre o motivo a quem cuida do servidor de e-mail.",
        (MailState::Expired, MailKind::Invitation) => {
            "Peça a quem opera a Pauta que confira o envio com `pauta doctor`, e refaça o convite."
        }
        (MailState::Expired, MailKind::PasswordReset) => {
            "Peça a quem opera a Pauta que confira o envio com `pauta doctor`; a pessoa pede outro link."
        }
        (MailState::Expired, _) => {
            "Peça a quem opera a Pauta que confira o envio com `pauta doctor`."
        }
        (_, MailKind::Invitation) => "Pergunte à pessoa se o convite chegou; se não, refaça-o.",
        (_, MailKind::PasswordReset) => "Se não chegou, a pessoa pede outro link na entrada.",
        (_, MailKind::PasswordChanged) => "Avise a pessoa de que a senha dela foi trocada.",
        (_, MailKind::Notifications) => "Nada a fazer: os avisos estão na Pauta.",
    }
}
