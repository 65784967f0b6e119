//! The reasons for which a publication is held up or has ended, their codes, and their sentences for
//! users.

/// A reason for which a publication is held up or has ended. Its code is stored with the publication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::publishing::scheduled) enum Cause {
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
    /// The network could not download the files, or the prepared post no longer exists at the network.
    /// The post must be prepared again.
    PrepareAgain,
    /// The network is still processing the prepared post.
    NotReady,
    Refused,
    PrivateAddress,
    /// The connection lacks a scope.
    MissingScope,
    /// The storage of the service does not answer.
    Storage,
    /// The network does not accept the cover.
    Cover,
    /// The account does not have the playlist, or the playlist is full.
    Playlist,
    /// The network keeps the video private.
    LockedPrivate,
    /// The network has accepted the post and is processing it.
    Processing,
    /// The network has not audited the application, so it may publish only posts that the account alone
    /// sees.
    NotAudited,
    /// The network has not verified the public address of the service.
    AddressUnverified,
    /// The network reports that the account already has the same post.
    Duplicate,
    /// The network no longer answers to this version of its API.
    VersionRetired,
    /// The hour passed while the quota was exhausted. The quota is available again.
    QuotaReturned,
    Late,
    Unknown,
    NotPublished,
    Canceled,
    Withdrawn,
}

impl Cause {
    const ALL: [Self; 29] = [
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
        Self::MissingScope,
        Self::Storage,
        Self::Cover,
        Self::Playlist,
        Self::LockedPrivate,
        Self::Processing,
        Self::NotAudited,
        Self::AddressUnverified,
        Self::Duplicate,
        Self::VersionRetired,
        Self::QuotaReturned,
        Self::Late,
        Self::Unknown,
        Self::NotPublished,
        Self::Canceled,
        Self::Withdrawn,
    ];

    /// Returns the code that is stored and shown to users.
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
            Self::MissingScope => "PERMISSION_MISSING",
            Self::Storage => "STORAGE_UNAVAILABLE",
            Self::Cover => "COVER_REJECTED",
            Self::Playlist => "PLAYLIST_REJECTED",
            Self::LockedPrivate => "VIDEO_LOCKED_PRIVATE",
            Self::Processing => "NETWORK_PROCESSING",
            Self::NotAudited => "APP_NOT_AUDITED",
            Self::AddressUnverified => "ADDRESS_UNVERIFIED",
            Self::Duplicate => "DUPLICATE_POST",
            Self::VersionRetired => "API_VERSION_RETIRED",
            Self::QuotaReturned => "POST_QUOTA_RETURNED",
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

    /// Returns the sentences for users, the reason and the advice, for a publication that this reason
    /// held up until it was late.
    pub fn sentences_when_late(self, network: &str) -> (&'static str, Option<&'static str>) {
        match self {
            Self::NotConfigured => (
                "Esta rede não está registrada no serviço, que não publica nela. Nada foi ao ar.",
                Some("Poste à mão, ou peça a quem opera o serviço que registre a rede."),
            ),
            Self::Disconnected | Self::OtherAccount | Self::MissingScope => (
                "A hora passou sem a conta da aprovação conectada, e nada foi ao ar.",
                Some("Poste à mão, ou conecte a conta e publique agora."),
            ),
            Self::Quota if network == "youtube" => (
                "A hora passou com a cota do YouTube ou o limite do canal esgotado, e nada foi ao ar. A cota \
                 volta à meia-noite do Pacífico, às 4h ou 5h de Brasília, e o serviço avisa; o limite do \
                 canal volta em até 24 horas, sem aviso.",
                Some("Publique depois disso, ou cancele."),
            ),
            Self::Quota => (
                "A hora passou com a cota da conta esgotada, e nada foi ao ar. O serviço avisa se souber que \
                 ela voltou.",
                Some("Publique agora quando ela voltar, ou cancele."),
            ),
            Self::QuotaReturned => (
                "A hora passou com a cota da rede esgotada, e nada foi ao ar. A cota voltou.",
                Some("Publique agora, ou cancele."),
            ),
            _ => Self::Late.sentences_at(network),
        }
    }

    /// Returns the sentences for users, the reason and the advice, for a post that the network has
    /// accepted without reporting the outcome.
    pub const fn sentences_when_taken() -> (&'static str, Option<&'static str>) {
        (
            "A rede recebeu o post e não diz se foi ao ar. O serviço ainda pergunta por três dias, e não \
             faz um segundo pedido.",
            Some(
                "Olhe a conta. Se está no ar, informe o link. Se não está e não dá para esperar, cancele e \
                 poste à mão: a rede ainda pode publicar o que recebeu.",
            ),
        )
    }

    /// Returns the sentences for users, the reason and the advice, at a network.
    pub fn sentences_at(self, network: &str) -> (&'static str, Option<&'static str>) {
        match (self, network) {
            (Self::Unknown, "linkedin") => (
                "O LinkedIn não confirmou, e não deixa o serviço ver os posts da conta: não se sabe \
                 se foi ao ar.",
                Some(
                    "Olhe a conta. Se está no ar, informe o link. Só tente de novo se não está: um \
                     segundo pedido pode fazer um segundo post.",
                ),
            ),
            (Self::Unknown, "tiktok") => (
                "O TikTok não confirmou: não se sabe se foi ao ar.",
                Some(
                    "Olhe a conta, também daqui a uma hora: o TikTok mostra o post só depois de o \
                     processar. Se está no ar, informe o link. Só tente de novo se não está: um segundo \
                     pedido pode fazer um segundo post.",
                ),
            ),
            (Self::Quota, "youtube") => (
                "A cota do YouTube ou o limite de envios do canal acabou por hoje.",
                None,
            ),
            (Self::MissingScope, "youtube") => (
                "A conexão com o YouTube não tem a permissão `youtube.force-ssl`, que publica o que \
                 foi enviado.",
                Some("Peça a um admin que conecte o canal de novo e aceite todas as permissões."),
            ),
            (Self::Restricted, "youtube") => (
                "O YouTube não deixa esta conta enviar vídeos.",
                Some("Abra o YouTube Studio e resolva o que ele pede."),
            ),
            (Self::Quota, "tiktok") => (
                "O TikTok barra a conta por hoje: publicou demais, ou o aplicativo tem contas demais.",
                Some("Espere até amanhã, ou publique à mão no aplicativo."),
            ),
            (Self::Refused, "tiktok") => (
                "O TikTok não aceita esta publicação.",
                Some(
                    "Veja o código do TikTok. A privacidade precisa ser uma das que a conta oferece; \
                     mude e aprove de novo.",
                ),
            ),
            (Self::PrepareAgain, "youtube" | "linkedin") => (
                "O envio das mídias à rede se perdeu; o serviço começa de novo.",
                None,
            ),
            _ => self.sentences(),
        }
    }

    /// Returns the sentences for users, the reason and the advice, at any other network.
    const fn sentences(self) -> (&'static str, Option<&'static str>) {
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
            Self::MissingScope => (
                "Falta à conexão uma permissão da rede.",
                Some("Peça a um admin que conecte a conta de novo e aceite todas as permissões."),
            ),
            Self::Storage => (
                "O armazenamento das mídias não responde; o serviço tenta de novo.",
                None,
            ),
            Self::Cover => (
                "A rede não aceita a capa.",
                Some(
                    "Tire ou troque a capa e aprove de novo; o canal precisa ter o telefone confirmado.",
                ),
            ),
            Self::Playlist => (
                "O canal não tem essa lista, ou ela está cheia.",
                Some(
                    "Confira o id da `playlist` no endereço dela, tire-o ou troque-o, e aprove de novo.",
                ),
            ),
            Self::LockedPrivate => (
                "O vídeo está na conta, mas o YouTube o mantém privado: o aplicativo não passou pela \
                 auditoria do Google.",
                Some(
                    "Peça a quem opera o serviço que peça a auditoria. O vídeo privado está no \
                     YouTube Studio.",
                ),
            ),
            Self::Processing => ("A rede recebeu o post e ainda o processa.", None),
            Self::NotAudited => (
                "A rede ainda não auditou o aplicativo, que só publica para a própria conta ver.",
                Some(
                    "Ponha a privacidade `SELF_ONLY` e aprove de novo, publique à mão, ou peça a quem \
                     opera o serviço que peça a auditoria.",
                ),
            ),
            Self::AddressUnverified => (
                "A rede não conhece o endereço público do serviço, de onde busca as fotos.",
                Some(
                    "Peça a quem opera o serviço que verifique o prefixo de PAUTA_PUBLIC_URL no portal \
                     de desenvolvedores da rede.",
                ),
            ),
            Self::Duplicate => (
                "A rede recusou: diz que a conta já tem um post igual.",
                Some("Olhe a conta. Se não é este post, mude o texto e aprove de novo."),
            ),
            Self::VersionRetired => (
                "A rede aposentou a versão da API que o serviço usa.",
                Some("Peça a quem opera o serviço que atualize PAUTA_LINKEDIN_VERSION."),
            ),
            Self::QuotaReturned => ("A cota da rede voltou.", None),
            Self::Late => (
                "A hora passou sem que desse para publicar, e nada foi ao ar.",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_found_by_its_code() {
        for cause in Cause::ALL {
            assert_eq!(Cause::from_code(cause.code()), Some(cause));
        }
    }
}
