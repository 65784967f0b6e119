//! A table of how the OAuth interfaces of social networks differ.
//!
//! One adapter (`providers/networks.rs`) reads this table, behind the port `ports::Network`.

/// The version of LinkedIn's API; `PAUTA_LINKEDIN_VERSION` replaces it. LinkedIn supports this version
/// until September 2027 at least (<https://learn.microsoft.com/linkedin/marketing/versioning>, read on
/// 2026-11-28).
pub const LINKEDIN_VERSION: &str = "202609";

/// One of the base URLs of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The base URL of the authorization page.
    Auth,
    /// The base URL of the token endpoint, if it differs from the other two.
    Token,
    Api,
}

impl Base {
    /// Returns the suffix of the name of the setting that replaces this base URL.
    #[must_use]
    pub const fn setting_suffix(self) -> &'static str {
        match self {
            Self::Auth => "AUTH_BASE_URL",
            Self::Token => "TOKEN_BASE_URL",
            Self::Api => "BASE_URL",
        }
    }
}

/// A path below one of the base URLs, without a leading slash.
#[derive(Debug, Clone, Copy)]
pub struct At(pub Base, pub &'static str);

/// The OAuth endpoints, scopes and error codes of one social network.
#[derive(Debug)]
pub struct NetworkFacts {
    /// The name of the network in routes, such as `shortvideo`.
    pub name: &'static str,
    /// The channel of the pieces that are published on this network.
    pub channel: &'static str,
    /// The name that users see.
    pub title: &'static str,
    /// The prefix of the names of the settings of this network.
    pub settings: &'static str,
    /// The suffix of the name of the client id setting.
    pub client_id_setting: &'static str,
    pub bases: &'static [(Base, &'static str)],
    pub authorize: At,
    pub token: At,
    /// The name of the client id parameter, in every request.
    pub client_id: &'static str,
    pub scopes: &'static [&'static str],
    pub scope_separator: &'static str,
    /// Additional parameters of the authorization request.
    pub extra: &'static [(&'static str, &'static str)],
    /// Whether the network supports PKCE (RFC 7636).
    pub pkce: bool,
    /// How the first access token is exchanged for a long-lived one, if the network requires it.
    pub longer: Option<LongerExchange>,
    pub renewal: Renewal,
    pub revoke: Option<Revoke>,
    /// The error codes for a grant that is no longer valid. All other errors leave the grant
    /// unchanged.
    pub dead: &'static [&'static str],
    /// The error codes for an unknown client.
    pub unknown_client: &'static [&'static str],
    pub profile: AccountLookup,
}

/// Exchanges the short-lived access token for a long-lived one: `GET` with the client secret and
/// the first token.
#[derive(Debug)]
pub struct LongerExchange {
    pub at: At,
    pub grant_type: &'static str,
}

/// How tokens are renewed.
#[derive(Debug)]
pub enum Renewal {
    /// The refresh token is sent to the token endpoint (RFC 6749, section 6).
    RefreshToken,
    /// The access token itself is sent in a `GET` request.
    AccessToken { at: At, grant_type: &'static str },
}

/// Revokes a token by `POST` (RFC 7009).
#[derive(Debug)]
pub struct Revoke {
    pub at: At,
    /// Whether the request contains the client credentials.
    pub with_client: bool,
    /// Whether to send the refresh token, whose revocation also revokes the access token.
    pub refresh: bool,
}

/// Reads the account of an access token: the `GET` request, and JSON pointers into its response.
#[derive(Debug)]
pub struct AccountLookup {
    pub at: At,
    pub query: &'static [(&'static str, &'static str)],
    /// The query parameter of the access token; `None` sends the token in the header.
    pub token: Option<&'static str>,
    pub id: &'static str,
    pub display_name: &'static [&'static str],
    pub avatar_url: &'static str,
}

/// All supported networks.
pub static NETWORKS: &[NetworkFacts] = &[
    NetworkFacts {
        name: "shortvideo",
        channel: "tiktok",
        title: "TikTok",
        settings: "PAUTA_TIKTOK",
        client_id_setting: "CLIENT_KEY",
        bases: &[
            (Base::Auth, "https://www.tiktok.com"),
            (Base::Api, "https://open.tiktokapis.com"),
        ],
        authorize: At(Base::Auth, "v2/auth/authorize/"),
        token: At(Base::Api, "v2/oauth/token/"),
        client_id: "client_key",
        scopes: &[
            "user.info.basic",
            "video.publish",
            "video.upload",
            // To read the figures of posts.
            "video.list",
        ],
        scope_separator: ",",
        extra: &[],
        pkce: false,
        longer: None,
        renewal: Renewal::RefreshToken,
        revoke: Some(Revoke {
            at: At(Base::Api, "v2/oauth/revoke/"),
            with_client: true,
            refresh: false,
        }),
        dead: &["invalid_grant"],
        unknown_client: &["invalid_client", "unauthorized_client"],
        profile: AccountLookup {
            at: At(Base::Api, "v2/user/info/"),
            query: &[("fields", "open_id,display_name,avatar_url")],
            token: None,
            id: "/data/user/open_id",
            display_name: &["/data/user/display_name"],
            avatar_url: "/data/user/avatar_url",
        },
    },
    NetworkFacts {
        name: "instagram",
        channel: "instagram",
        title: "Instagram",
        settings: "PAUTA_INSTAGRAM",
        client_id_setting: "CLIENT_ID",
        bases: &[
            (Base::Auth, "https://www.instagram.com"),
            (Base::Token, "https://api.instagram.com"),
            (Base::Api, "https://graph.instagram.com"),
        ],
        authorize: At(Base::Auth, "oauth/authorize"),
        token: At(Base::Token, "oauth/access_token"),
        client_id: "client_id",
        scopes: &[
            "instagram_business_basic",
            "instagram_business_content_publish",
            // To write the first comment of a post.
            "instagram_business_manage_comments",
            // To read the figures of posts.
            "instagram_business_manage_insights",
        ],
        scope_separator: ",",
        extra: &[],
        pkce: false,
        longer: Some(LongerExchange {
            at: At(Base::Api, "access_token"),
            grant_type: "ig_exchange_token",
        }),
        renewal: Renewal::AccessToken {
            at: At(Base::Api, "refresh_access_token"),
            grant_type: "ig_refresh_token",
        },
        revoke: None,
        dead: &["190"],
        unknown_client: &["101", "invalid_client"],
        profile: AccountLookup {
            at: At(Base::Api, "me"),
            query: &[("fields", "user_id,username,name,profile_picture_url")],
            token: Some("access_token"),
            id: "/user_id",
            display_name: &["/username", "/name"],
            avatar_url: "/profile_picture_url",
        },
    },
    NetworkFacts {
        name: "youtube",
        channel: "youtube",
        title: "YouTube",
        settings: "PAUTA_YOUTUBE",
        client_id_setting: "CLIENT_ID",
        bases: &[
            (Base::Auth, "https://accounts.google.com"),
            (Base::Token, "https://oauth2.googleapis.com"),
            (Base::Api, "https://www.googleapis.com"),
        ],
        authorize: At(Base::Auth, "o/oauth2/v2/auth"),
        token: At(Base::Token, "token"),
        client_id: "client_id",
        scopes: &[
            "https://www.googleapis.com/auth/youtube.upload",
            "https://www.googleapis.com/auth/youtube.readonly",
            // To publish an uploaded video (`videos.update`), delete one that is not needed
            // (`videos.delete`), and comment (`commentThreads.insert`).
            "https://www.googleapis.com/auth/youtube.force-ssl",
        ],
        scope_separator: " ",
        // Google returns a refresh token only with `offline`, and at a second consent only with
        // `consent`.
        extra: &[("access_type", "offline"), ("prompt", "consent")],
        pkce: true,
        longer: None,
        renewal: Renewal::RefreshToken,
        revoke: Some(Revoke {
            at: At(Base::Token, "revoke"),
            with_client: false,
            refresh: true,
        }),
        dead: &["invalid_grant"],
        unknown_client: &["invalid_client", "unauthorized_client"],
        profile: AccountLookup {
            at: At(Base::Api, "youtube/v3/channels"),
            query: &[("part", "snippet"), ("mine", "true")],
            token: None,
            id: "/items/0/id",
            display_name: &["/items/0/snippet/title"],
            avatar_url: "/items/0/snippet/thumbnails/default/url",
        },
    },
    NetworkFacts {
        name: "linkedin",
        channel: "linkedin",
        title: "LinkedIn",
        settings: "PAUTA_LINKEDIN",
        client_id_setting: "CLIENT_ID",
        bases: &[
            (Base::Auth, "https://www.linkedin.com"),
            (Base::Api, "https://api.linkedin.com"),
        ],
        authorize: At(Base::Auth, "oauth/v2/authorization"),
        token: At(Base::Auth, "oauth/v2/accessToken"),
        client_id: "client_id",
        scopes: &["openid", "profile", "w_member_social"],
        scope_separator: " ",
        extra: &[],
        pkce: false,
        longer: None,
        // LinkedIn issues refresh tokens to approved applications only.
        renewal: Renewal::RefreshToken,
        revoke: None,
        dead: &["invalid_grant"],
        unknown_client: &["invalid_client", "unauthorized_client"],
        profile: AccountLookup {
            at: At(Base::Api, "v2/userinfo"),
            query: &[],
            token: None,
            id: "/sub",
            display_name: &["/name"],
            avatar_url: "/picture",
        },
    },
];
