//! Idempotency keys: a reservation before the write and the stored answer after it.
//!
//! Before a replay the capability is checked again, and so is each resource in the spec (`about`,
//! `within`).
//!
//! The parts of an answer that repeat a large input are not stored again: `Operation::abridge`
//! removes them from the stored answer, and `Operation::complete` restores them from the identical
//! request.

use serde_json::Value;

use super::{Answer, Body, Code, Error, Execution, Input, Result, Spec, schema::KEY_FIELD};
use crate::Keys;
use domain::{
    IdempotencyKey, MemberId,
    time::{DAY, MINUTE, Millis},
};
use store::{Conn, idempotency as rows};

/// How long a key is stored.
const KEPT: Millis = DAY;
/// Time limit of an outside call, after which its outcome counts as unknown.
const LEASE: Millis = 5 * MINUTE;

/// A caller's key for one operation, with the fingerprint of the input.
pub struct Keyed {
    pub member_id: MemberId,
    pub operation: &'static str,
    pub key: IdempotencyKey,
    fingerprint: String,
}

/// The result of a reservation.
pub(super) enum Reserved {
    /// The key is new: run the effect.
    Fresh,
    /// The key was used: return its stored answer.
    Replay(Answer),
}

impl Keyed {
    /// Removes the key from the input; `None` if there is none.
    ///
    /// Refused when the format of the key is wrong.
    pub fn take(
        spec: &Spec,
        member_id: Option<&MemberId>,
        input: &mut Input,
        keys: &Keys,
    ) -> Result<Option<Self>> {
        let (Some(Value::String(text)), Some(member_id)) = (input.remove(KEY_FIELD), member_id)
        else {
            return Ok(None);
        };
        let key = IdempotencyKey::parse(&text).ok_or_else(|| {
            Error::invalid(
                KEY_FIELD,
                "pattern",
                "deve ter 8 a 128 caracteres de A-Z a-z 0-9 . _ : ~ -",
            )
        })?;
        Ok(Some(Self {
            member_id: member_id.clone(),
            operation: spec.name,
            key,
            fingerprint: keys.fingerprint(&canonical(input)?),
        }))
    }

    fn id(&self) -> rows::KeyId<'_> {
        rows::KeyId {
            member_id: &self.member_id,
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
        if rows::reserve(
            db,
            self.id(),
            &self.fingerprint,
            lease_until,
            now,
            now + KEPT,
        )
        .await?
        {
            return Ok(Reserved::Fresh);
        }
        let Some(row) = rows::find(db, self.id()).await? else {
            return Err(Error::new(Code::IDEMPOTENCY_IN_PROGRESS).retry_after(1));
        };
        if row.fingerprint != self.fingerprint {
            return Err(Error::new(Code::IDEMPOTENCY_KEY_REUSED));
        }
        match (row.status, row.answer) {
            (Some(status), Some(body)) => Ok(Reserved::Replay(Answer {
                replayed: true,
                ..Answer::of(u16::try_from(status).unwrap_or(200), Body::Json(body))
            })),
            _ if row.lease_until.is_some_and(|until| until > now) => {
                Err(Error::new(Code::IDEMPOTENCY_IN_PROGRESS).retry_after(2))
            }
            _ => Err(Error::new(Code::OUTCOME_UNKNOWN)),
        }
    }

    /// Stores the answer in the transaction of the effect.
    pub async fn keep(&self, db: &Conn<'_>, answer: &Answer) -> Result<()> {
        let Body::Json(whole) = &answer.body else {
            return Err(Error::internal("a page was called with an idempotency key"));
        };
        let kept = answer.short.as_ref().unwrap_or(whole);
        Ok(rows::store_answer(db, self.id(), answer.status, kept).await?)
    }

    /// Ends the lease. From now on the key answers `OUTCOME_UNKNOWN`, because the call was
    /// interrupted and its effect may have happened.
    pub async fn abandon(&self, db: &Conn<'_>, now: Millis) -> Result<()> {
        Ok(rows::end_lease(db, self.id(), now).await?)
    }

    /// Removes the reservation of a call that had no effect.
    pub async fn release(&self, db: &Conn<'_>) -> Result<()> {
        Ok(rows::delete(db, self.id()).await?)
    }
}

/// The canonical text of the input: RFC 8785, followed by the integers that a double cannot
/// represent.
///
/// The standard writes every number as a double, so `9007199254740993` and `…992` have the same
/// text. The exact integers are appended in the order of the fields.
fn canonical(input: &Input) -> Result<Vec<u8>> {
    let mut text = serde_json_canonicalizer::to_vec(input)?;
    input.values().for_each(|value| exact(value, &mut text));
    Ok(text)
}

fn exact(value: &Value, text: &mut Vec<u8>) {
    /// Every integer of smaller absolute value is exact as a double.
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
        Value::Array(items) => items.iter().for_each(|item| exact(item, text)),
        Value::Object(map) => map.values().for_each(|value| exact(value, text)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(value: Value) -> String {
        let input = Input::from_iter([("v".to_owned(), value)]);
        String::from_utf8(canonical(&input).expect("JSON")).expect("UTF-8")
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
        let texts: std::collections::HashSet<_> = numbers.iter().cloned().map(text).collect();
        assert_eq!(texts.len(), numbers.len());
        assert_eq!(
            text(json!([1, 2.5, "9007199254740993"])),
            r#"{"v":[1,2.5,"9007199254740993"]}"#
        );
    }
}
