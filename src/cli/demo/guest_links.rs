//! The links of guests that the published examples use.

use domain::{
    EventId, GuestLinkId, GuestRight, LinkSecret, MemberId,
    time::{DAY, Millis},
};
use gateway::{Error, Keys, Result};
use identity::guest_link::code_mac;
use store::{
    Conn,
    guest_links::{self, GuestLink},
};

/// The secret of the link without a code.
pub const GUEST: &str = "convidada-de-exemplo-do-demo-da-Pauta-00001";
/// The secret of the link with a code, and its code.
pub const GUEST_WITH_CODE: &str = "convidada-de-exemplo-do-demo-da-Pauta-00002";
const CODE: &str = "271828";

/// Inserts one link per id: one that is never opened, one without a code and one with a code.
pub(super) async fn seed_guest_links(
    db: &Conn<'_>,
    keys: &Keys,
    ids: [GuestLinkId; 3],
    events: &[EventId],
    member_id: &MemberId,
    now: Millis,
) -> Result<()> {
    let unopened = LinkSecret::generate().reveal();
    let secrets = [unopened.as_str(), GUEST, GUEST_WITH_CODE];
    for (id, text) in ids.into_iter().zip(secrets) {
        let secret = LinkSecret::parse(text);
        let secret = secret.ok_or_else(|| Error::internal("a malformed example secret"))?;
        let code_mac = (text == GUEST_WITH_CODE).then(|| code_mac(keys, &id, CODE));
        let link = GuestLink {
            id,
            guest_name: "Beatriz Rocha".into(),
            contact: "+55 11 91234-5678".into(),
            right: GuestRight::Decide,
            code_mac,
            project_id: None,
            month: None,
            member_id: member_id.clone(),
            member_name: String::new(),
            created_at: now - DAY,
            expires_at: now + 13 * DAY,
            opened_at: None,
            revoked_at: None,
            revoked_by_name: None,
            wrong_codes: 0,
        };
        guest_links::insert(db, &link, &secret.digest(), events).await?;
    }
    Ok(())
}
