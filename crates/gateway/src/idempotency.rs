//! Idempotency keys: a key is reserved before the write, and the response is stored after it.
//!
//! Before a stored response is returned, the capability is checked again, and so is each resource
//! that the spec names (`about`, `within`).
//!
//! The parts of a response that repeat a large input are not stored:
//! `Operation::remove_repeated_parts` removes them, and `Operation::restore_answer` restores them
//! from the identical request.

use serde_json::Value;

use super::{Answer, Body, Code, Error, Execution, Input, Result, Spec, schema::KEY_FIELD};
use crate::Keys;
use domain::{
    IdempotencyKey, MemberId,
    time::{DAY, MINUTE, Millis},
};
use store::{Conn, idempotency as rows};

/// The time for which a key and its response are stored.
pub const ANSWERS_KEPT: Millis = DAY;
/// Time limit of an external call, after which its outcome counts as unknown.
const LEASE: Millis = 5 * MINUTE;

/// The idempotency key of a caller for one operation, with the fingerprint of the input.
pub struct Keyed {
    /// [`super::Principal::key_owner`].
    pub owner: MemberId,
    pub operation: &'static str,
    pub key: IdempotencyKey,
    fingerprint: String,
}

/// The result of a reservation.
pub(super) enum Reserved {
    /// The key is new: the operation must run.
    Fresh,
    /// The key was used before: return its stored response.
    Replay(Answer),
}

impl Keyed {
    /// Removes the idempotency key from the input; `None` if there is none.
    ///
    /// Fails if the format of the key is invalid.
    pub fn take_from_input(
        spec: &Spec,
        owner: Option<&MemberId>,
        input: &mut Input,
        keys: &Keys,
    ) -> Result<Option<Self>> {
        let (Some(Value::String(text)), Some(owner)) = (input.remove(KEY_FIELD), owner) else {
            return Ok(None);
        };
        let key = IdempotencyKey::parse(&text).ok_or_else(|| {
            Error::invalid_field(
                KEY_FIELD,
                "pattern",
                "deve ter 8 a 128 caracteres de A-Z a-z 0-9 . _ : ~ -",
            )
        })?;
        Ok(Some(Self {
            owner: owner.clone(),
            operation: spec.name,
            key,
            fingerprint: keys.fingerprint(&canonical_text(input)?),
        }))
    }

    fn id(&self) -> rows::KeyId<'_> {
        rows::KeyId {
            member_id: &self.owner,
            operation: self.operation,
            key: self.key.as_str(),
        }
    }

    /// Reserves the key in the caller's transaction. Simultaneous callers wait for each other.
    pub(super) async fn reserve(
        &self,
        db: &Conn<'_>,
        execution: Execution,
        now: Millis,
    ) -> Result<Reserved> {
        let lease_until = (execution == Execution::Outside).then_some(now + LEASE);
        if rows::reserve_key(
            db,
            self.id(),
            &self.fingerprint,
            lease_until,
            now,
            now + ANSWERS_KEPT,
        )
        .await?
        {
            return Ok(Reserved::Fresh);
        }
        let Some(row) = rows::find(db, self.id()).await? else {
            return Err(Error::new(Code::IDEMPOTENCY_IN_PROGRESS).with_retry_after(1));
        };
        if row.fingerprint != self.fingerprint {
            return Err(Error::new(Code::IDEMPOTENCY_KEY_REUSED));
        }
        match (row.status, row.answer) {
            (Some(status), Some(body)) => Ok(Reserved::Replay(Answer {
                replayed: true,
                ..Answer::new(u16::try_from(status).unwrap_or(200), Body::Json(body))
            })),
            _ if row.lease_until.is_some_and(|until| until > now) => {
                Err(Error::new(Code::IDEMPOTENCY_IN_PROGRESS).with_retry_after(2))
            }
            _ => Err(Error::new(Code::OUTCOME_UNKNOWN)),
        }
    }

    /// Stores the response in the transaction of the write.
    pub async fn store_answer(&self, db: &Conn<'_>, answer: &Answer) -> Result<()> {
        let Body::Json(whole) = &answer.body else {
            return Err(Error::internal("a page was called with an idempotency key"));
        };
        let kept = answer.short.as_ref().unwrap_or(whole);
        Ok(rows::store_answer(db, self.id(), answer.status, kept).await?)
    }

    /// Ends the lease. Later calls with the key fail with `OUTCOME_UNKNOWN`, because this call was
    /// interrupted and may have had an effect.
    pub async fn abandon(&self, db: &Conn<'_>, now: Millis) -> Result<()> {
        Ok(rows::end_lease(db, self.id(), now).await?)
    }

    /// Deletes the reservation of a call that had no effect.
    pub async fn delete_reservation(&self, db: &Conn<'_>) -> Result<()> {
        Ok(rows::delete_unanswered(db, self.id()).await?)
    }
}

/// Returns the canonical text of the input: RFC 8785, followed by the integers that a double cannot
/// represent.
///
/// The standard writes every number as a double, so `9007199254740993` and `…992` have the same
/// text. The exact integers are appended in the order of the fields.
fn canonical_text(input: &Input) -> Result<Vec<u8>> {
    let mut text = serde_json_canonicalizer::to_vec(input)?;
    input
        .values()
        .for_each(|value| append_exact_integers(value, &mut text));
    Ok(text)
}

fn append_exact_integers(value: &Value, text: &mut Vec<u8>) {
    /// Every integer of smaller absolute value can be represented exactly as a double.
    const EXACT: u64 = 1 << 53;
    match value {
        Value::Number(number) => {
            let whole = number.as_i64().map(i64::unsigned_abs);
            if whole
                .or(number.as_u64())
                .is_some_and(|whole| whole >= EXACT)
            {
                text.push(b',');
                text.extend_from_slice(number.to_string().as_bytes());
            }
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| append_exact_integers(item, text)),
        Value::Object(map) => map
            .values()
            .for_each(|value| append_exact_integers(value, text)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn canonical_string(value: Value) -> String {
        let input = Input::from_iter([("v".to_owned(), value)]);
        String::from_utf8(canonical_text(&input).expect("JSON")).expect("UTF-8")
    }

    #[test]
    fn integers_beyond_double_precision_are_distinguished() {
        let numbers = [
            json!(9_007_199_254_740_991_i64),
            json!(9_007_199_254_740_992_i64),
            json!(9_007_199_254_740_993_i64),
            json!(-9_007_199_254_740_993_i64),
            json!(-9_007_199_254_740_992_i64),
            json!(u64::MAX),
            json!(u64::MAX - 1),
        ];
        let texts: std::collections::HashSet<_> =
            numbers.iter().cloned().map(canonical_string).collect();
        assert_eq!(texts.len(), numbers.len());
        assert_eq!(
            canonical_string(json!([1, 2.5, "9007199254740993"])),
            r#"{"v":[1,2.5,"9007199254740993"]}"#
        );
    }
}
