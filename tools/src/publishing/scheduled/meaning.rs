//! Why a publication is held up or has failed, and what the codes of Instagram mean.
//!
//! <https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/error-codes>,
//! read on 2026-11-28.

/// A reason. Its code is stored with the publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    NotConfigured,
    Disconnected,
    OtherAccount,
    Restricted,
    Unreachable,
    RateLimited,
    Quota,
    Paused,
    /// The network does not accept the files.
    Media,
    /// The network could not download the files, or what was prepared is gone: prepare it again.
    PrepareAgain,
    /// What was prepared is not ready yet.
    NotReady,
    Refused,
    PrivateAddress,
    Late,
    Unknown,
    NotPublished,
    Canceled,
    Withdrawn,
}

impl Cause {
    const ALL: [Self; 18] = [
        Self::NotConfigured,
        Self::Disconnected,
        Self::OtherAccount,
        Self::Restricted,
        Self::Unreachable,
        Self::RateLimited,
        Self::Quota,
        Self::Paused,
        Self::Media,
        Self::PrepareAgain,
        Self::NotReady,
        Self::Refused,
        Self::PrivateAddress,
        Self::Late,
        Self::Unknown,
        Self::NotPublished,
        Self::Canceled,
        Self::Withdrawn,
    ];

    /// The code, as it is stored and shown.
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotConfigured => "PROVIDER_NOT_CONFIGURED",
            Self::Disconnected => "ACCOUNT_DISCONNECTED",
            Self::OtherAccount => "ACCOUNT_CHANGED",
            Self::Restricted => "ACCOUNT_RESTRICTED",
            Self::Unreachable => "PROVIDER_FAILED",
            Self::RateLimited => "RATE_LIMITED",
            Self::Quota => "POST_QUOTA_REACHED",
            Self::Paused => "PUBLISHING_PAUSED",
            Self::Media => "MEDIA_REJECTED",
            Self::PrepareAgain => "MEDIA_NOT_FETCHED",
            Self::NotReady => "NOT_READY",
            Self::Refused => "PUBLISHING_REFUSED",
            Self::PrivateAddress => "PRIVATE_ADDRESS",
            Self::Late => "LATE",
            Self::Unknown => "OUTCOME_UNKNOWN",
            Self::NotPublished => "NOT_PUBLISHED",
            Self::Canceled => "CANCELED",
            Self::Withdrawn => store::scheduled_posts::WITHDRAWN,
        }
    }

    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.code() == code)
    }

    /// The reason for users, and what to do.
    pub const fn sentences(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::NotConfigured => (
                "Esta rede não está registrada no serviço.",
                Some("Peça a quem opera o serviço que registre a rede."),
            ),
            Self::Disconnected => (
                "A conta está desconectada, ou a rede não aceita mais a autorização.",
                Some("Peça a um admin que conecte a conta de novo."),
            ),
            Self::OtherAccount => (
                "A conta conectada agora não é a que estava conectada na aprovação.",
                Some("Conecte a conta de antes, ou cancele e aprove de novo."),
            ),
            Self::Restricted => (
                "A rede restringiu a conta.",
                Some("Abra o aplicativo da rede e resolva o que ele pede."),
            ),
            Self::Unreachable => ("A rede não responde; o serviço tenta de novo.", None),
            Self::RateLimited => ("A rede limita as chamadas agora; o serviço espera.", None),
            Self::Quota => (
                "A conta já publicou quanto a rede permite em 24 horas.",
                None,
            ),
            Self::Paused => ("As publicações estão pausadas.", None),
            Self::Media => (
                "A rede recusou a mídia.",
                Some("Corrija ou troque a mídia e aprove de novo."),
            ),
            Self::PrepareAgain => (
                "A rede não conseguiu buscar as mídias no endereço público do serviço.",
                Some("Confira se PAUTA_PUBLIC_URL responde pela internet."),
            ),
            Self::NotReady => ("A rede ainda prepara as mídias.", None),
            Self::Refused => (
                "A rede não aceita esta publicação.",
                Some("Mude o que a rede recusa e aprove de novo."),
            ),
            Self::PrivateAddress => (
                "A rede busca as mídias pela internet, e o serviço não tem endereço público https.",
                Some("Peça a quem opera o serviço que ajuste PAUTA_PUBLIC_URL."),
            ),
            Self::Late => (
                "A hora passou sem que desse para publicar, e nada foi enviado.",
                Some("Publique agora, ou cancele."),
            ),
            Self::Unknown => (
                "A rede não confirmou: não se sabe se foi ao ar.",
                Some("Olhe a conta. Se está no ar, informe o link; se não está, tente de novo."),
            ),
            Self::NotPublished => (
                "A rede confirmou que nada foi ao ar.",
                Some("Tente de novo, ou cancele."),
            ),
            Self::Canceled => ("Uma pessoa cancelou.", None),
            Self::Withdrawn => (
                "A peça ou a variante mudou ou deixou de estar aprovada.",
                None,
            ),
        }
    }
}

/// What a code of the network means: `code`, or `code_subcode`, or the subcode of a container.
pub(super) fn cause_of(code: &str) -> Cause {
    let (main, subcode) = match code.split_once('_') {
        Some((main, subcode)) if main != "http" => (main, subcode),
        _ if code.starts_with("2207") => ("", code),
        _ => (code, ""),
    };
    match (main, subcode) {
        (_, "2207042") => Cause::Quota,
        (_, "2207050") => Cause::Restricted,
        (_, "2207027") => Cause::NotReady,
        // The download failed or took too long, or the container is gone.
        (
            _,
            "2207001" | "2207003" | "2207006" | "2207008" | "2207020" | "2207032" | "2207052"
            | "2207053" | "2207082",
        ) => Cause::PrepareAgain,
        // The account does too much at once.
        (_, "2207051") => Cause::RateLimited,
        // Size, format, ratio, offset of the cover, unsupported video.
        (_, "2207004" | "2207005" | "2207009" | "2207023" | "2207026" | "2207057" | "2207067")
        | ("352" | "36000" | "36001" | "36003", _) => Cause::Media,
        ("190" | "102" | "http_401", _) => Cause::Disconnected,
        ("10" | "3", _) => Cause::Disconnected,
        ("4" | "17" | "32" | "613" | "80002" | "http_429", _) => Cause::RateLimited,
        ("unknown", _) => Cause::PrepareAgain,
        (main, _)
            if main
                .parse()
                .is_ok_and(|code: i64| (200..300).contains(&code)) =>
        {
            Cause::Disconnected
        }
        _ => Cause::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_of_the_documentation_have_a_meaning() {
        for (code, cause) in [
            ("190_463", Cause::Disconnected),
            ("200", Cause::Disconnected),
            ("4", Cause::RateLimited),
            ("9_2207042", Cause::Quota),
            ("9004_2207052", Cause::PrepareAgain),
            ("2207026", Cause::Media),
            ("36003_2207009", Cause::Media),
            ("25_2207050", Cause::Restricted),
            ("100_2207028", Cause::Refused),
            ("http_429", Cause::RateLimited),
        ] {
            assert_eq!(cause_of(code), cause, "{code}");
        }
        for cause in Cause::ALL {
            assert_eq!(Cause::from_code(cause.code()), Some(cause));
        }
    }
}
