//! The job that sends e-mails.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    compose::{self, load_team},
    letter::Letter,
    prepare_mails::TOO_OLD,
};
use crate::notifications::load_mailed;
use domain::{
    Email, FailedAttempts, MailKind, MailState, Member, random_bytes, sha256_hex,
    time::{DAY, Millis},
};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome},
};
use identity::mail::{
    self as mailing, MailDelivery, SEND_MAILS,
    forgotten_password::{self, LIFETIME},
};
use ports::{Mail, MailOutcome};
use store::{
    accounts,
    mails::{self, Due, Outcome},
    members, notifications,
};

/// Maximum number of e-mails that are sent at the same time.
const AT_ONCE: i64 = 4;
/// How many times one run looks for due e-mails. Another run sends the remaining e-mails.
const ROUNDS: usize = 4;
/// How long a member gets no notifications by e-mail after the server refused the address.
const BOUNCED_FOR: Millis = 30 * DAY;

/// Sends the e-mails that are due. Only one run at a time is active, over all instances.
#[derive(Serialize, Deserialize)]
pub struct SendMails;

impl Job for SendMails {
    const NAME: &'static str = SEND_MAILS.0;
    const TIMEOUT: Duration = Duration::from_secs(600);

    fn dedupe_key(&self) -> Option<String> {
        Some(Self::NAME.to_owned())
    }

    fn can_run_here(services: &Services) -> bool {
        mailing::is_configured(services)
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let sent = send_due(ctx).await;
        let now = ctx.services().clock.now();
        sent.unwrap_or_else(|error| JobOutcome::from_result(Err::<(), _>(error), now))
    }
}

async fn send_due(ctx: &JobContext) -> Result<JobOutcome> {
    let services = ctx.services();
    let db = services.db.reader();
    for _ in 0..ROUNDS {
        let now = services.clock.now();
        if ctx.is_stopping() {
            return Ok(JobOutcome::Again(now));
        }
        let due = mails::list_due(&db, now, AT_ONCE).await?;
        if due.is_empty() {
            let next = mails::find_next_due(&db).await?;
            return Ok(next.map_or(JobOutcome::Done, |at| JobOutcome::Again(at.max(now))));
        }
        // Waits for all e-mails, even if one fails, because the outcome of each e-mail must be stored.
        let sending = due.iter().map(|mail| send_mail(ctx, mail));
        let sent = futures::future::join_all(sending).await;
        for (mail, sent) in due.iter().zip(sent) {
            if let Err(error) = sent {
                postpone(ctx, mail, &error).await?;
            }
        }
    }
    Ok(JobOutcome::Again(services.clock.now()))
}

/// Postpones an e-mail whose preparation failed, so that it does not delay the other e-mails. Does
/// nothing if the e-mail was already marked as being sent.
async fn postpone(ctx: &JobContext, mail: &Due, error: &gateway::Error) -> Result<()> {
    let services = ctx.services();
    let now = services.clock.now();
    let id = mail.id.to_string();
    tracing::warn!(
        mail_id = id,
        code = error.code.as_str(),
        "um e-mail não pôde ser preparado"
    );
    let tx = services.db.begin().await?;
    let db = tx.conn();
    match next_attempt(mail, now) {
        Some(at) => mails::postpone_with_attempt(&db, mail, at, now).await?,
        None => mails::end_pending(&db, mail, MailState::Expired, now).await?,
    }
    ctx.commit(tx).await
}

/// Returns when an e-mail is tried again after an attempt that failed now; `None` if the e-mail is given
/// up.
fn next_attempt(mail: &Due, now: Millis) -> Option<Millis> {
    let failed = FailedAttempts {
        count: mail.attempts + 1,
        first_at: mail.first_attempt_at.unwrap_or(now),
        asked: None,
    };
    failed.next_attempt(now, u32::from_le_bytes(random_bytes()))
}

/// The decision about a due e-mail.
enum Prepared {
    /// Send a password reset to this member. Its link is created in the transaction that marks the
    /// e-mail.
    Reset(Member),
    /// Send this letter to this member.
    Letter(Member, Letter),
    /// Do not send the e-mail before this time.
    Wait(Millis),
    /// Do not send the e-mail; it ends in this state.
    End(MailState),
}

/// Marks an e-mail as being sent, sends it and stores the outcome.
async fn send_mail(ctx: &JobContext, due: &Due) -> Result<()> {
    let services = ctx.services();
    let now = services.clock.now();
    let team = load_team(&services.db.reader()).await?;
    let prepared = prepare_mail(services, due, now, &team).await?;
    let tx = services.db.begin().await?;
    let db = tx.conn();
    let (member, letter) = match prepared {
        Prepared::End(state) => {
            mails::end_pending(&db, due, state, now).await?;
            return ctx.commit(tx).await;
        }
        Prepared::Wait(until) => {
            mails::postpone_without_attempt(&db, due, until).await?;
            return ctx.commit(tx).await;
        }
        Prepared::Reset(member) => {
            let link = forgotten_password::issue_link(services, &db, &member, now).await?;
            // Checked after the link was created, because creating a link waits for a concurrent
            // transaction that creates another link.
            if mails::has_newer_reset(&db, due, &member.id).await? {
                drop(tx);
                return end_waiting_mail(ctx, due, MailState::Dropped).await;
            }
            let letter = compose::password_reset(&team, &member, link);
            (member, letter)
        }
        Prepared::Letter(member, letter) => (member, letter),
    };
    if !mails::begin_sending(&db, due, &member.id, now).await? {
        return Ok(());
    }
    ctx.commit(tx).await?;
    let mail = Mail {
        id: due.id.to_string(),
        from_name: team.name.clone(),
        to: Email::from(member.email.as_str()),
        to_name: domain::visible_line(&member.name),
        text: letter.to_text(&team),
        html: letter.to_html(&team),
        subject: letter.subject,
        date: due.created_at,
        unsubscribe: letter.unsubscribe,
    };
    let sender = services.parts.find::<MailDelivery>();
    let outcome = match sender {
        Some(sender) => sender.send(&mail).await,
        None => MailOutcome::Later(None),
    };
    store_outcome(services, due, outcome).await
}

/// Ends a waiting e-mail in this state, in a separate transaction.
async fn end_waiting_mail(ctx: &JobContext, due: &Due, state: MailState) -> Result<()> {
    let services = ctx.services();
    let tx = services.db.begin().await?;
    mails::end_pending(&tx.conn(), due, state, services.clock.now()).await?;
    ctx.commit(tx).await
}

/// Decides by the current state whether an e-mail is sent, and writes its text.
async fn prepare_mail(
    services: &Services,
    due: &Due,
    now: Millis,
    team: &super::letter::Team,
) -> Result<Prepared> {
    let db = services.db.reader();
    let dropped = Ok(Prepared::End(MailState::Dropped));
    if due.created_at < now - TOO_OLD {
        return Ok(Prepared::End(MailState::Expired));
    }
    if due.kind == MailKind::PasswordReset {
        // A new link in a late e-mail would be valid for too long after the request.
        if due.created_at + LIFETIME <= now {
            return Ok(Prepared::End(MailState::Expired));
        }
        let member = forgotten_password::find_member(services, &db, &due.id).await?;
        return Ok(member.map_or(Prepared::End(MailState::Dropped), Prepared::Reset));
    }
    let member = match &due.member_id {
        Some(id) => members::find(&db, id).await?,
        None => None,
    };
    let Some(member) = member.filter(|member| member.active) else {
        return dropped;
    };
    let letter = match due.kind {
        MailKind::PasswordReset => return dropped,
        MailKind::PasswordChanged => {
            compose::password_changed(services, team, &member, due.created_at)
        }
        MailKind::Invitation => {
            let link = mailing::open_secret(services, &db, &due.id).await?;
            let link = link.unwrap_or_default();
            let token = link.rsplit('#').next().unwrap_or_default();
            let invite = accounts::find_invite(&db, &sha256_hex(token.as_bytes())).await?;
            if invite.is_none_or(|invite| invite.expires_at <= now) {
                return dropped;
            }
            compose::invitation(team, &member, link)
        }
        MailKind::Notifications => {
            let settings = notifications::find_settings(&db, &member.id).await?;
            let all = load_mailed(services, &db, &member, &due.id).await?;
            if all.is_empty() {
                return dropped;
            }
            let time = settings.wishes.times.next_time_for_due(now);
            if time > now && !all.iter().any(|one| one.kind.is_for_now()) {
                return Ok(Prepared::Wait(time));
            }
            let bounces = mails::find_bounces(&db, &[&member.id]).await?;
            if bounces.values().any(|at| now < at + BOUNCED_FOR) {
                return dropped;
            }
            compose::notifications(services, team, &member, all)
        }
    };
    Ok(Prepared::Letter(member, letter))
}

/// Stores the outcome of an attempt, even if another instance runs the job meanwhile: only the attempt
/// that marked the e-mail can store its outcome.
async fn store_outcome(services: &Services, due: &Due, outcome: MailOutcome) -> Result<()> {
    let now = services.clock.now();
    let (state, reply) = match outcome {
        MailOutcome::Accepted => (Outcome::Ended(MailState::Sent), None),
        MailOutcome::Bounced(code) => (Outcome::Ended(MailState::Bounced), Some(code)),
        MailOutcome::Refused(code) => (Outcome::Ended(MailState::Refused), Some(code)),
        MailOutcome::Unknown => (Outcome::Ended(MailState::Unknown), None),
        MailOutcome::Later(code) => {
            let next = next_attempt(due, now);
            let state = next.map_or(Outcome::Ended(MailState::Expired), Outcome::Waits);
            (state, code)
        }
    };
    let tx = services.db.begin().await?;
    mails::record_outcome(&tx.conn(), due, state, reply, now).await?;
    Ok(tx.commit().await?)
}
