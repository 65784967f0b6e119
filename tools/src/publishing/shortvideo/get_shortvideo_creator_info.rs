use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    account,
    desk::{Counted, Desk},
    meaning,
    post::SELF_ONLY,
};
use crate::publishing::AccessToken;
use domain::Capability;
use gateway::{Access, Code, Context, Operation, Result, Services, Spec, Verb};
use ports::shortvideo::Creator;

/// Pergunta ao TikTok o que a conta conectada pode publicar agora: `privacy_level`, duração máxima
/// e o que está desligado. Leia antes de `publish_shortvideo`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetShortvideoCreatorInfo {}

/// Opções e limites da conta.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CreatorInfo {
    account_id: String,
    creator_username: String,
    creator_nickname: String,
    creator_avatar_url: Option<String>,
    /// Os valores que `privacy_level` aceita agora.
    privacy_level_options: Vec<String>,
    comment_disabled: bool,
    duet_disabled: bool,
    stitch_disabled: bool,
    /// Segundos.
    max_video_post_duration_sec: u64,
    /// Se o TikTok auditou o aplicativo; sem auditoria, tudo sai como `SELF_ONLY`.
    audited: bool,
}

impl Operation for GetShortvideoCreatorInfo {
    const SPEC: Spec = Spec::new(
        "get_shortvideo_creator_info",
        "Ler opções da conta do TikTok",
        Verb::Get,
        "/oauth/shortvideo/creator-info",
    )
    .access(Access::Member(Capability::ConnectionsView))
    .fails(&[404, 409])
    .needs_provider(Code::NOT_FOUND)
    .outside()
    .tool();
    type Output = CreatorInfo;

    async fn run(self, ctx: &Context<'_>) -> Result<CreatorInfo> {
        let desk = Desk::require_configured(ctx.services)?;
        let (access, creator) = load_creator(ctx.services, desk).await?;
        let mut options = creator.privacy_levels;
        if !desk.audited {
            options.retain(|level| level == SELF_ONLY);
        }
        Ok(CreatorInfo {
            account_id: access.account_id,
            creator_username: creator.username,
            creator_nickname: creator.nickname,
            creator_avatar_url: creator.avatar_url,
            privacy_level_options: options,
            comment_disabled: creator.comment_disabled,
            duet_disabled: creator.duet_disabled,
            stitch_disabled: creator.stitch_disabled,
            max_video_post_duration_sec: creator.max_video_seconds,
            audited: desk.audited,
        })
    }
}

/// Loads the connected account and the options that it may publish with now. The requests count against
/// the provider's rate limit.
///
/// If the provider refuses the access token, the token is renewed once.
pub(super) async fn load_creator(
    services: &Services,
    desk: &Desk,
) -> Result<(AccessToken, Creator)> {
    let mut access = account::require_access(services).await?;
    Counted::Creator
        .require_allowed_call(services, &access.account_id)
        .await?;
    let mut asked = desk.api.fetch_creator(&access.token).await;
    if asked.as_ref().is_err_and(meaning::is_stale_token)
        && let Ok(renewed) = account::renew_access(services, &access).await
    {
        access = renewed;
        Counted::Creator
            .require_allowed_call(services, &access.account_id)
            .await?;
        asked = desk.api.fetch_creator(&access.token).await;
    }
    match asked {
        Ok(creator) => Ok((access, creator)),
        Err(trouble) => {
            let id = &access.account_id;
            Counted::Creator
                .store_rate_limit(services, id, &trouble)
                .await?;
            Err(meaning::trouble_to_error(&trouble))
        }
    }
}
