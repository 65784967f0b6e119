//! Events that a site reports about its visitors.

use crate::text_enum;

text_enum! {
    pub enum TimelineEventKind {
        OpenedCheckout = "abriu_checkout",
        CheckoutStep = "etapa_checkout",
        Identified = "identificou",
        AnsweredPoll = "respondeu_enquete",
        VisitedPage = "visitou_pagina",
    }
}

text_enum! {
    /// The origin of a visit.
    pub enum Channel {
        Paid = "pago",
        Email = "email",
        Social = "social",
        Message = "mensagem",
        Search = "busca",
        Referral = "referencia",
        Other = "outro",
        Direct = "direto",
    }
}

text_enum! {
    /// The type of an e-mail delivery event.
    pub enum DeliveryKind {
        Sent = "envio",
        Delivered = "entrega",
        Bounced = "devolucao",
        Complained = "reclamacao",
        Rejected = "rejeicao",
        Opened = "abertura",
        Clicked = "clique",
        RenderingFailed = "falha_de_modelo",
        Delayed = "atraso",
        Unsubscribed = "descadastro",
    }
}

/// The keys allowed in the detail of an event, in addition to those that begin with [`UTM`].
pub const DETAIL_KEYS: [&str; 12] = [
    "etapa",
    "pagina",
    "origem",
    "lote",
    "votacao",
    "opcao",
    "peso",
    "titulo",
    "site",
    "referencia",
    "gclid",
    "fbclid",
];

/// The prefix of campaign parameters. All keys with this prefix are allowed in a detail.
pub const UTM: &str = "utm_";

/// The `utm_medium` values of each channel.
const MEDIUMS: [(Channel, &[&str]); 6] = [
    (
        Channel::Paid,
        &[
            "cpc", "ppc", "cpm", "cpv", "paid", "pago", "ads", "ad", "display", "banner",
        ],
    ),
    (Channel::Email, &["email", "e-mail", "newsletter"]),
    (
        Channel::Social,
        &[
            "social",
            "organic_social",
            "social-media",
            "bio",
            "stories",
            "post",
        ],
    ),
    (
        Channel::Message,
        &["whatsapp", "sms", "telegram", "push", "mensagem"],
    ),
    (Channel::Search, &["organic", "organico", "seo", "busca"]),
    (
        Channel::Referral,
        &[
            "referral",
            "referencia",
            "parceiro",
            "afiliado",
            "affiliate",
        ],
    ),
];

impl Channel {
    /// Returns the channel that the detail of an event indicates; `None` if the detail does not
    /// show where the visit came from.
    ///
    /// The first of these that is present determines the channel: a known campaign medium, the click
    /// id of a platform, any other campaign parameter (an unknown medium too), the referring page.
    #[must_use]
    pub fn from_detail<'a>(detail: impl Fn(&str) -> Option<&'a str>) -> Option<Self> {
        let given = |key: &str| detail(key).map(str::trim).filter(|text| !text.is_empty());
        if let Some(medium) = given("utm_medium") {
            // Every medium that begins with `paid` is a paid medium, such as `paid_social`.
            if medium
                .get(..4)
                .is_some_and(|begin| begin.eq_ignore_ascii_case("paid"))
            {
                return Some(Self::Paid);
            }
            let is_known = |name: &&str| name.eq_ignore_ascii_case(medium);
            let known = MEDIUMS.iter().find(|(_, names)| names.iter().any(is_known));
            if let Some((channel, _)) = known {
                return Some(*channel);
            }
        }
        if given("gclid").is_some() {
            return Some(Self::Paid);
        }
        if given("fbclid").is_some() {
            return Some(Self::Social);
        }
        if ["utm_medium", "utm_source", "utm_campaign", "origem"]
            .iter()
            .any(|key| given(key).is_some())
        {
            return Some(Self::Other);
        }
        given("referencia").map(|_| Self::Referral)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(detail: &[(&str, &'static str)]) -> Option<Channel> {
        Channel::from_detail(|key| {
            let mut pairs = detail.iter();
            pairs.find_map(|(name, text)| (*name == key).then_some(*text))
        })
    }

    #[test]
    fn a_click_id_decides_when_the_medium_is_unknown() {
        for (detail, expected) in [
            (
                &[("utm_medium", "leilao"), ("gclid", "1")][..],
                Channel::Paid,
            ),
            (&[("utm_medium", "feed"), ("fbclid", "1")], Channel::Social),
            (&[("utm_medium", "email"), ("gclid", "1")], Channel::Email),
            (
                &[("utm_medium", "Paid_Social"), ("fbclid", "1")],
                Channel::Paid,
            ),
            (&[("utm_medium", "feed"), ("gclid", " ")], Channel::Other),
            (
                &[("utm_medium", "feed"), ("referencia", "x")],
                Channel::Other,
            ),
            (&[("utm_source", "x"), ("gclid", "1")], Channel::Paid),
            (&[("origem", "x"), ("referencia", "x")], Channel::Other),
            (&[("referencia", "x")], Channel::Referral),
        ] {
            assert_eq!(channel(detail), Some(expected), "{detail:?}");
        }
        assert_eq!(channel(&[("pagina", "/")]), None);
    }
}
