use super::*;

const TOPIC: &str = "arn:aws:sns:sa-east-1:123456789012:emails";

fn sns_with_hosts(hosts: &[&str]) -> Sns {
    crate::providers::install_tls_provider();
    Sns::new(EmailTopics {
        arns: vec![TOPIC.into()],
        certificate_hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
        only_sha256: false,
    })
    .expect("a client")
}

#[test]
fn urls_must_be_on_the_sns_host_of_the_topics_region() {
    let sns = sns_with_hosts(&[]);
    let accepts = |url: &str| sns.allowed_url(url, TOPIC).is_some();
    assert!(accepts("https://sns.sa-east-1.amazonaws.com/a.pem"));
    assert!(accepts("https://sns.sa-east-1.amazonaws.com:443/a.pem"));
    for url in [
        "http://sns.sa-east-1.amazonaws.com/a.pem",
        "https://sns.us-east-1.amazonaws.com/a.pem",
        "https://sns.sa-east-1.amazonaws.com.cn/a.pem",
        "https://sns.sa-east-1.amazonaws.com:8443/a.pem",
        "https://sns.sa-east-1.amazonaws.com.evil.test/a.pem",
        "https://evil.test/sns.sa-east-1.amazonaws.com/a.pem",
        "https://sns.sa-east-1.amazonaws.com@evil.test/a.pem",
        "https://u:p@sns.sa-east-1.amazonaws.com/a.pem",
        "https://evil.sns.sa-east-1.amazonaws.com/a.pem",
        "https://127.0.0.1/a.pem",
        "file:///etc/a.pem",
        "",
    ] {
        assert!(!accepts(url), "{url}");
    }
    assert_eq!(
        sns_host("arn:aws-cn:sns:cn-north-1:1:x").as_deref(),
        Some("sns.cn-north-1.amazonaws.com.cn")
    );
    assert_eq!(sns_host("arn:aws:sns:evil.test/:1:x"), None);
}

#[test]
fn an_allowed_host_includes_its_port() {
    let sns = sns_with_hosts(&["127.0.0.1:9"]);
    assert!(sns.allowed_url("http://127.0.0.1:9/a.pem", TOPIC).is_some());
    for url in [
        "http://127.0.0.1/a.pem",
        "http://127.0.0.1:10/a.pem",
        "ftp://127.0.0.1:9/a.pem",
    ] {
        assert!(sns.allowed_url(url, TOPIC).is_none(), "{url}");
    }
}
