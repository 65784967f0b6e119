use std::time::Duration;

use super::*;

fn expect_refusal(name: &str, value: &str) -> String {
    let sources = Sources::from_pairs([(name, value.to_owned())]);
    Config::read(&sources).expect_err("refused").to_string()
}

#[test]
fn the_default_is_the_embedded_database_on_loopback() {
    let config = Config::read(&Sources::default()).expect("valid");
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.database_file(), Some("data/pauta.db".into()));
}

#[test]
fn the_error_for_a_wrong_value_names_its_setting() {
    for (name, value) in [
        ("PAUTA_LISTEN", "porta"),
        ("PAUTA_DATABASE_URL", "mysql://x"),
        ("PAUTA_PUBLIC_URL", "ftp://x"),
        ("PAUTA_PUBLIC_URL", "https://"),
        ("PAUTA_PUBLIC_URL", "https://x.test/`id`"),
        ("PAUTA_PUBLIC_URL", "https://x.test/)<b>"),
        ("PAUTA_SECRET", "curto"),
        ("PAUTA_TRUSTED_PROXIES", "10.0.0.0/99"),
        ("PAUTA_LOG_FORMAT", "xml"),
        ("PAUTA_METRICS_LISTEN", ":9"),
        ("PAUTA_STORAGE", ""),
        ("PAUTA_STORAGE", "s3://"),
        ("PAUTA_STORAGE", "s3://Bucket"),
        ("PAUTA_STORAGE", "gs://bucket"),
        ("PAUTA_IMAGE_PROVIDER", "outro"),
        ("PAUTA_EMBEDDING_PROVIDER", "outro"),
        ("PAUTA_JORNADA_TOKEN", "curto"),
        ("PAUTA_JORNADA_TOKEN", "com um espaço e com acento"),
        ("PAUTA_JORNADA_LEAD_TOKEN", "curto"),
        ("PAUTA_SNS_TOPIC_ARNS", "emails"),
        ("PAUTA_SNS_SIGNATURE_VERSION", "3"),
        ("PAUTA_TIMELINE_MONTHS", "0"),
    ] {
        assert!(expect_refusal(name, value).contains(name), "{name}");
    }
    assert!(expect_refusal("PAUTA_DATABASE_URL", "postgres://x/y").contains("PAUTA_SECRET"));
}

#[test]
fn an_outside_provider_of_images_needs_a_key_an_address_and_a_timeout() {
    let read = |name: &'static str, value: &str| {
        let given = [
            ("PAUTA_IMAGE_PROVIDER", "openai".to_owned()),
            ("PAUTA_OPENAI_API_KEY", " sk-x\n".to_owned()),
        ];
        // If a name occurs twice, its last value counts.
        Config::read(&Sources::from_pairs(
            given.into_iter().chain([(name, value.to_owned())]),
        ))
    };
    for (name, value) in [
        ("PAUTA_OPENAI_API_KEY", " "),
        ("PAUTA_OPENAI_API_KEY", "sk x"),
        ("PAUTA_OPENAI_BASE_URL", "api.openai.com"),
        ("PAUTA_OPENAI_BASE_URL", "ftp://x"),
        ("PAUTA_OPENAI_BASE_URL", "https://x?y"),
        ("PAUTA_OPENAI_BASE_URL", "https://a:b@x"),
        ("PAUTA_IMAGE_TIMEOUT", "0"),
        ("PAUTA_IMAGE_TIMEOUT", "201"),
    ] {
        let refused = read(name, value).expect_err("refused").to_string();
        assert!(refused.contains(name), "{name}: {refused}");
    }
    let config = read("PAUTA_OPENAI_BASE_URL", "https://x/prefixo//").expect("valid");
    let Images::OpenAi(images) = config.images else {
        panic!("the provider is openai");
    };
    assert_eq!(images.account.base.as_str(), "https://x/prefixo/");
    assert_eq!(images.account.key, "sk-x");
    assert_eq!(images.timeout, Duration::from_secs(120));
}

#[test]
fn the_public_url_may_have_a_path_and_loses_its_slash() {
    let read = |value: &str| {
        let sources = Sources::from_pairs([("PAUTA_PUBLIC_URL", value.to_owned())]);
        Config::read(&sources).expect("valid").public_url
    };
    assert_eq!(
        read("https://x.com.br/pauta/"),
        Some("https://x.com.br/pauta".into())
    );
    assert_eq!(read("http://[::1]:8080"), Some("http://[::1]:8080".into()));
}

#[test]
fn a_bucket_may_have_a_prefix_and_its_credential_is_never_printed() {
    let sources = Sources::from_pairs([
        ("PAUTA_STORAGE", "s3://redacao/pauta/".to_owned()),
        ("PAUTA_S3_ACCESS_KEY_ID", "id".to_owned()),
        ("PAUTA_S3_SECRET_ACCESS_KEY", "escondido".to_owned()),
    ]);
    let config = Config::read(&sources).expect("valid");
    let StorageLocation::S3(bucket) = &config.storage else {
        panic!("the storage is not a bucket");
    };
    assert_eq!((&*bucket.bucket, &*bucket.prefix), ("redacao", "pauta"));
    assert!(!format!("{:?}", config.storage).contains("escondido"));
}

#[test]
fn unknown_variables_are_named() {
    let sources = Sources::from_pairs([("PAUTA_LISTN", String::new())]);
    let unknown: Vec<String> = sources
        .unknown_names()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        unknown,
        ["PAUTA_LISTN não é uma variável conhecida; seria PAUTA_LISTEN?"]
    );
}

#[test]
fn embeddings_are_off_until_configured() {
    let read = |name: &'static str, value: &str| {
        let given = [
            ("PAUTA_EMBEDDING_PROVIDER", "openai".to_owned()),
            ("PAUTA_OPENAI_API_KEY", "sk-escondida".to_owned()),
        ];
        Config::read(&Sources::from_pairs(
            given.into_iter().chain([(name, value.to_owned())]),
        ))
    };
    for (name, value) in [
        ("PAUTA_OPENAI_EMBEDDING_DIMENSIONS", "0"),
        ("PAUTA_OPENAI_EMBEDDING_DIMENSIONS", "4097"),
        ("PAUTA_EMBEDDING_TIMEOUT", "0"),
        ("PAUTA_EMBEDDING_TIMEOUT", "21"),
        ("PAUTA_EMBEDDING_SIMILARITY", "1.1"),
        ("PAUTA_EMBEDDING_SIMILARITY", "NaN"),
        ("PAUTA_OPENAI_API_KEY", ""),
    ] {
        let refused = read(name, value).expect_err("refused").to_string();
        assert!(refused.contains(name), "{name}: {refused}");
    }
    assert!(
        expect_refusal("PAUTA_EMBEDDING_PROVIDER", "openai").contains("PAUTA_OPENAI_API_KEY"),
        "the error asks for a key"
    );
    let default = Config::read(&Sources::default()).expect("valid");
    assert!(default.embeddings.is_none());
    let config = read("PAUTA_OPENAI_EMBEDDING_DIMENSIONS", "512").expect("valid");
    assert!(!format!("{config:?}").contains("escondida"));
    let asked = config.embeddings.expect("a provider");
    assert_eq!(asked.model, "text-embedding-3-small");
    assert_eq!(asked.dimensions, Some(512));
}

#[test]
fn texts_and_videos_are_off_until_configured() {
    let default = Config::read(&Sources::default()).expect("valid");
    assert!(default.text.is_none() && default.video.is_none());
    for (provider, needs) in [
        (
            "openai",
            ["PAUTA_OPENAI_API_KEY", "PAUTA_OPENAI_TEXT_MODEL"],
        ),
        (
            "anthropic",
            ["PAUTA_ANTHROPIC_API_KEY", "PAUTA_ANTHROPIC_TEXT_MODEL"],
        ),
    ] {
        let mut given = vec![("PAUTA_TEXT_PROVIDER", provider.to_owned())];
        for need in needs {
            let refused = Config::read(&Sources::from_pairs(given.clone())).expect_err("refused");
            assert!(refused.to_string().contains(need), "{refused}");
            given.push((need, "sk-escondida".into()));
        }
        for seconds in ["0", "41", "x"] {
            let late = [("PAUTA_TEXT_TIMEOUT", seconds.to_owned())];
            let late = Config::read(&Sources::from_pairs(given.clone().into_iter().chain(late)));
            assert!(
                late.expect_err("refused")
                    .to_string()
                    .contains("PAUTA_TEXT_TIMEOUT")
            );
        }
        let config = Config::read(&Sources::from_pairs(given)).expect("valid");
        let text = config.text.expect("a provider");
        assert_eq!(text.timeout, Duration::from_secs(40));
        assert!(!format!("{:?}", text.account).contains("escondida"));
    }
    for (provider, key) in [
        ("openai_videos", "PAUTA_OPENAI_VIDEOS_API_KEY"),
        ("runway", "PAUTA_RUNWAY_API_KEY"),
        ("gemini_interactions", "PAUTA_GEMINI_API_KEY"),
    ] {
        assert!(expect_refusal("PAUTA_VIDEO_PROVIDER", provider).contains(key));
        let given = [
            ("PAUTA_VIDEO_PROVIDER", provider.to_owned()),
            (key, "sk-x".to_owned()),
        ];
        let config = Config::read(&Sources::from_pairs(given)).expect("valid");
        assert!(
            config
                .video
                .expect("a provider")
                .account
                .base
                .as_str()
                .starts_with("https://")
        );
    }
    for name in ["PAUTA_TEXT_PROVIDER", "PAUTA_VIDEO_PROVIDER"] {
        assert!(expect_refusal(name, "outro").contains(name));
    }
}

#[test]
fn an_issuer_needs_an_audience_unless_it_is_supabase() {
    use ::identity::IssuerProfile;
    const SUPABASE: &str = "https://ref.supabase.co/auth/v1";
    let read = |issuer: &str, settings: &[(&'static str, &str)]| {
        let given = [("PAUTA_IDENTITY_ISSUER", issuer.to_owned())].into_iter();
        let settings = settings
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()));
        Config::read(&Sources::from_pairs(given.chain(settings)))
    };
    let issuer = |issuer: &str, settings: &[(&'static str, &str)]| {
        let config = read(issuer, settings).expect("valid");
        config.issuer.expect("an issuer")
    };
    assert!(read("", &[]).expect("valid").issuer.is_none());
    assert_eq!(issuer(SUPABASE, &[]).profile, IssuerProfile::Supabase);
    let audience = ("PAUTA_IDENTITY_AUDIENCE", "pauta");
    let keycloak = issuer("https://id.test/realms/redacao/", &[audience]);
    assert_eq!(keycloak.issuer, "https://id.test/realms/redacao/");
    assert_eq!(
        keycloak.profile,
        IssuerProfile::Oidc {
            audience: "pauta".into()
        }
    );
    let oidc = ("PAUTA_IDENTITY_PROFILE", "oidc");
    let key = ("PAUTA_IDENTITY_ADMIN_KEY", "sb_secret_escondida");
    let secret = (
        "PAUTA_IDENTITY_HS256_SECRET",
        "escondido-escondido-escondido-escondido",
    );
    let shown = format!("{:?}", issuer(SUPABASE, &[key, secret]));
    assert!(!shown.contains("escondid"), "{shown}");
    for (address, settings, named) in [
        ("id.test", &[][..], "PAUTA_IDENTITY_ISSUER"),
        ("https://a:b@id.test", &[audience], "PAUTA_IDENTITY_ISSUER"),
        ("https://id.test?x", &[audience], "PAUTA_IDENTITY_ISSUER"),
        ("https://id.test", &[], "PAUTA_IDENTITY_AUDIENCE"),
        (SUPABASE, &[oidc], "PAUTA_IDENTITY_AUDIENCE"),
        (SUPABASE, &[audience], "PAUTA_IDENTITY_AUDIENCE"),
        (
            "https://id.test",
            &[audience, key],
            "PAUTA_IDENTITY_ADMIN_KEY",
        ),
        (
            SUPABASE,
            &[("PAUTA_IDENTITY_PROFILE", "saml")],
            "PAUTA_IDENTITY_PROFILE",
        ),
        (
            SUPABASE,
            &[("PAUTA_IDENTITY_ADMIN_KEY", "a b")],
            "PAUTA_IDENTITY_ADMIN_KEY",
        ),
        (
            SUPABASE,
            &[("PAUTA_IDENTITY_HS256_SECRET", "curto")],
            "PAUTA_IDENTITY_HS256_SECRET",
        ),
        (
            SUPABASE,
            &[("PAUTA_IDENTITY_JWKS_URL", "/keys")],
            "PAUTA_IDENTITY_JWKS_URL",
        ),
        (
            SUPABASE,
            &[("PAUTA_IDENTITY_TIMEOUT", "0")],
            "PAUTA_IDENTITY_TIMEOUT",
        ),
    ] {
        let refused = read(address, settings).expect_err("refused").to_string();
        assert!(refused.contains(named), "{address} {settings:?}: {refused}");
    }
    let alone = expect_refusal("PAUTA_IDENTITY_AUDIENCE", "pauta");
    assert!(alone.contains("PAUTA_IDENTITY_ISSUER"), "{alone}");
}
