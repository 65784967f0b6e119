//! Logs failed sign-ins for the operator; callers get the same error for every reason. The rate
//! limits per account and network bound the number of failures, so every failure is logged.

use domain::Email;
use gateway::Context;
use store::accounts::Credentials;

/// Logs a failed sign-in, without the password and with the e-mail masked.
pub(super) fn log_failed_sign_in(ctx: &Context<'_>, email: &Email, reason: &'static str) {
    tracing::warn!(
        address = ctx.origin.address.map(tracing::field::display),
        email = email.to_masked_text(),
        reason,
        "entrada recusada"
    );
}

/// Returns the reason why the credentials do not open a session.
pub(super) fn failure_reason(known: Option<&Credentials>, matches: bool) -> &'static str {
    match known {
        None => "e-mail desconhecido",
        Some(known) if !known.member.active => "fora da equipe",
        Some(known) if known.usable_hash().is_none() => "conta sem senha",
        Some(_) if !matches => "senha errada",
        Some(_) => "a senha ou o vínculo mudou durante a entrada",
    }
}
