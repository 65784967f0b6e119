//! The events of Amazon SES.
//!
//! <https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html>

use domain::{
    Email,
    time::{Millis, Timestamp},
    timeline::DeliveryKind,
    without_emails,
};
use gateway::Pepper;
use serde_json::Value;
use store::timeline::Delivery;

/// The maximum length of a stored text, in characters.
const LONGEST: usize = 500;
/// The maximum number of recipients of one event.
const MOST: usize = 1_000;

/// The kinds of events: the name in SES, the name in this service, and the field of the message with the
/// data of the kind.
const KINDS: [(&str, DeliveryKind, &str); 10] = [
    ("Send", DeliveryKind::Sent, "send"),
    ("Delivery", DeliveryKind::Delivered, "delivery"),
    ("Bounce", DeliveryKind::Bounced, "bounce"),
    ("Complaint", DeliveryKind::Complained, "complaint"),
    ("Reject", DeliveryKind::Rejected, "reject"),
    ("Open", DeliveryKind::Opened, "open"),
    ("Click", DeliveryKind::Clicked, "click"),
    (
        "Rendering Failure",
        DeliveryKind::RenderingFailed,
        "failure",
    ),
    ("DeliveryDelay", DeliveryKind::Delayed, "deliveryDelay"),
    ("Subscription", DeliveryKind::Unsubscribed, "subscription"),
];

/// The SES message tag with the id of the dispatch.
const DISPATCH: &str = "disparo";
/// The SES message tag with the code of the product launch.
const LAUNCH: &str = "lancamento";

/// Parses the deliveries that an event reports, one for each recipient. The list is empty for other
/// messages, such as the text with which SES tests a topic.
pub(super) fn parse_deliveries(
    message_id: &str,
    message: &str,
    pepper: &Pepper,
    sent_at: Millis,
) -> Vec<Delivery> {
    let Ok(event) = serde_json::from_str::<Value>(message) else {
        return vec![];
    };
    let name = event
        .get("eventType")
        .or_else(|| event.get("notificationType"));
    let name = name.and_then(Value::as_str).unwrap_or_default();
    let Some((_, kind, field)) = KINDS.iter().find(|(known, ..)| *known == name) else {
        return vec![];
    };
    let (own, mail) = (&event[field], &event["mail"]);
    let instant = |value: &Value| {
        let at: Timestamp = value["timestamp"].as_str()?.parse().ok()?;
        Some(at.0)
    };
    let occurred_at = instant(own).or_else(|| instant(mail)).unwrap_or(sent_at);
    let tag = |name: &str| clean_text(&mail["tags"][name][0]);
    let bounce_type =
        clean_text(&own["bounceType"]).map(|kind| match clean_text(&own["bounceSubType"]) {
            Some(sub) => format!("{kind}/{sub}"),
            None => kind,
        });
    let delivery = |(position, person)| Delivery {
        message_id: message_id.to_owned(),
        position,
        person,
        kind: *kind,
        occurred_at,
        mail_id: clean_text(&mail["messageId"]).unwrap_or_default(),
        dispatch_id: tag(DISPATCH),
        launch: tag(LAUNCH),
        bounce_type: bounce_type.clone(),
        link: clean_text(&own["link"]),
    };
    let people = event_recipients(*kind, own, mail).map(|address| {
        let email: Option<Email> = bare_address(address).parse().ok();
        email.and_then(|email| pepper.person_id(&email).ok())
    });
    (0i64..).zip(people.take(MOST)).map(delivery).collect()
}

/// Returns the addresses of the recipients of an event.
fn event_recipients<'a>(
    kind: DeliveryKind,
    own: &'a Value,
    mail: &'a Value,
) -> impl Iterator<Item = &'a str> {
    let listed = match kind {
        DeliveryKind::Bounced => &own["bouncedRecipients"],
        DeliveryKind::Complained => &own["complainedRecipients"],
        DeliveryKind::Delayed => &own["delayedRecipients"],
        DeliveryKind::Delivered => &own["recipients"],
        _ => &mail["destination"],
    };
    let listed = match listed.as_array() {
        Some(listed) if !listed.is_empty() => Some(listed),
        _ => mail["destination"].as_array(),
    };
    listed.into_iter().flatten().filter_map(|recipient| {
        let address = recipient.get("emailAddress").unwrap_or(recipient);
        address.as_str()
    })
}

/// Removes the display name of an address such as `Ana <ana@exemplo.com>`.
fn bare_address(address: &str) -> &str {
    match address.rsplit_once('<') {
        Some((_, rest)) => rest.trim_end_matches([' ', '>']),
        None => address,
    }
}

/// Returns the stored form of a text: without e-mail addresses and control characters, cut to `LONGEST`.
fn clean_text(value: &Value) -> Option<String> {
    let text = value.as_str().filter(|text| !text.is_empty())?;
    let plain = without_emails(text);
    let kept = plain.chars().filter(|c| !c.is_control());
    Some(kept.take(LONGEST).collect())
}
