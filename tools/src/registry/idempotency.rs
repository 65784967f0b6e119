//! One effect per key: the reservation before a write, and the answer kept after it.

use serde_json::Value;

use super::{Answer, Code, Error, Input, Kind, Principal, Result, Spec, schema::KEY_FIELD};
use crate::{
    domain::{
        IdempotencyKey,
        time::{DAY, MINUTE, Millis},
    },
    identity::Keys,
    store::{Conn, idempotency as rows},
};

/// How long a key is remembered.
const KEPT: Millis = DAY;
/// How long an outside call may take before its outcome counts as unknown.
const LEASE: Millis = 5 * MINUTE;

/// A caller's key for one operation, with the fingerprint of what it came with.
pub struct Keyed {
    pub member_id: String,
    pub operation: &'static str,
    pub key: IdempotencyKey,
    fingerprint: String,
}

/// What a reservation found.
pub(super) enum Reserved {
    /// The key is new: run the effect.
    Fresh,
    /// The key is spent: give its answer again.
    Replay(Answer),
}

impl Keyed {
    /// Takes the key out of the input; `None` without one.
    ///
    /// Refused when the operation takes no key.
    pub fn take(
        spec: &Spec,
        caller: Option<&Principal>,
        input: &mut Input,
        keys: &Keys,
    ) -> Result<Option<Self>> {
        let (Some(Value::String(text)), Some(caller)) = (input.remove(KEY_FIELD), caller) else {
            return Ok(None);
        };
        let key = IdempotencyKey::parse(&text).ok_or_else(|| {
            Error::invalid(
                KEY_FIELD,
                "pattern",
                "deve ter 8 a 128 caracteres de A-Z a-z 0-9 . _ : ~ -",
            )
        })?;
        let canonical = serde_json_canonicalizer::to_vec(&input)?;
        Ok(Some(Self {
            member_id: caller.member.id.clone(),
            operation: spec.name,
            key,
            fingerprint: keys.fingerprint(&canonical),
        }))
    }

    /// Reserves the key within the caller's transaction, which queues simultaneous callers.
    pub(super) async fn reserve(&self, db: &Conn<'_>, kind: Kind, now: Millis) -> Result<Reserved> {
        let lease_until = (kind == Kind::Outside).then_some(now + LEASE);
        if rows::reserve(db, self, &self.fingerprint, lease_until, now, now + KEPT).await? {
            return Ok(Reserved::Fresh);
        }
        let Some(row) = rows::find(db, self).await? else {
            return Err(Error::new(Code::IdempotencyInProgress).retry_after(1));
        };
        if row.fingerprint != self.fingerprint {
            return Err(Error::new(Code::IdempotencyKeyReused));
        }
        match (row.status, row.answer) {
            (Some(status), Some(body)) => Ok(Reserved::Replay(Answer {
                status: u16::try_from(status).unwrap_or(200),
                body,
                short: None,
                replayed: true,
            })),
            _ if row.lease_until.is_some_and(|until| until > now) => {
                Err(Error::new(Code::IdempotencyInProgress).retry_after(2))
            }
            _ => Err(Error::new(Code::OutcomeUnknown)),
        }
    }

    /// Keeps the answer; it commits with the effect.
    pub async fn keep(&self, db: &Conn<'_>, answer: &Answer) -> Result<()> {
        let kept = answer.short.as_ref().unwrap_or(&answer.body);
        rows::keep(db, self, answer.status, kept).await
    }

    /// Leaves the key answering `OUTCOME_UNKNOWN`: the call broke off, with an effect or without.
    pub async fn abandon(&self, db: &Conn<'_>, now: Millis) -> Result<()> {
        rows::abandon(db, self, now).await
    }

    /// Forgets the reservation: there was no effect.
    pub async fn release(&self, db: &Conn<'_>) -> Result<()> {
        rows::release(db, self).await
    }
}
