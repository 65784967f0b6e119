//! Strict JSON parsing, the same for both interfaces. It refuses text that another parser could
//! read differently, and text that exceeds the limits of values and nesting.
//!
//! JSON in a field of an encoded form (`parse_value`) has to follow the rules for a JSON body.

mod reader;

pub use reader::{Parsed, not_json_error, parse_object, parse_value, too_many_values_error};

#[cfg(test)]
mod tests {
    use super::*;

    fn field_and_rule(text: &str) -> (String, String) {
        let refused = parse_object(text.as_bytes(), 1_000).err().expect(text);
        let fault = &refused.body().details.expect("details")["fields"][0];
        let word = |name: &str| fault[name].as_str().expect("text").to_owned();
        (word("field"), word("rule"))
    }

    #[test]
    fn a_repeated_name_is_found_at_any_level() {
        for (text, field) in [
            (r#"{"a":1,"a":1}"#, "a"),
            (r#"{"a":{"b":1,"\u0062":2}}"#, "a.b"),
            (r#"{"a":[0,{"b":{"":1,"":2}}]}"#, "a.1.b."),
        ] {
            assert_eq!(field_and_rule(text), (field.into(), "unique".into()));
        }
    }

    #[test]
    fn whole_numbers_are_kept_exactly_or_refused() {
        for number in [
            "18446744073709551615",
            "-9223372036854775808",
            "0",
            "1.5",
            "1e+300",
            "-1e+20",
        ] {
            let text = format!(r#"{{"\\\"18446744073709551616":0,"n":{number}}}"#);
            let parsed = parse_object(text.as_bytes(), 9)
                .expect(number)
                .expect("few");
            assert_eq!(parsed.input["n"].to_string(), number);
        }
        for number in [
            "18446744073709551616",
            "-9223372036854775809",
            &"9".repeat(300),
        ] {
            let text = format!(r#"{{"a":{{"m":1e30,"n":[1,{number}]}},"b":2}}"#);
            assert_eq!(
                field_and_rule(&text),
                ("a.n.1".into(), "exact".into()),
                "{number}"
            );
        }
    }

    #[test]
    fn a_field_has_at_most_64_levels_and_all_values_are_counted() {
        let nested = |levels: usize| {
            format!(
                r#"{{"a":1,"v":{}{}}}"#,
                "[".repeat(levels),
                "]".repeat(levels)
            )
        };
        let parsed = parse_object(nested(64).as_bytes(), 65).expect("64 levels");
        assert_eq!(parsed.expect("65 values").values, 65);
        assert!(
            parse_object(nested(64).as_bytes(), 64)
                .expect("JSON")
                .is_none()
        );
        for levels in [65, 127, 128, 100_000] {
            assert_eq!(
                field_and_rule(&nested(levels)),
                ("v".into(), "maxDepth".into())
            );
        }
        let maps = format!(r#"{{"v":{}{{}}{}}}"#, r#"{"a":"#.repeat(64), "}".repeat(64));
        assert_eq!(field_and_rule(&maps), ("v".into(), "maxDepth".into()));
    }

    #[test]
    fn a_json_text_in_a_field_follows_the_rules_of_a_body() {
        for text in ["1", "null", "\"a\"", "[1,{\"a\":[]}]", "{}"] {
            let (value, values) = parse_value("v", text, 9).expect(text);
            let body = parse_object(format!(r#"{{"v":{text}}}"#).as_bytes(), 9);
            let body = body.expect(text).expect("few");
            assert_eq!((&value, values), (&body.input["v"], body.values), "{text}");
        }
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse_value("v", &deep(64), 64).is_ok());
        for (text, field, rule) in [
            (deep(65), "v", "maxDepth"),
            ("[1,2]".into(), "v", "maxValues"),
            (r#"{"a":1,"a":1}"#.into(), "v.a", "unique"),
            ("[18446744073709551616]".into(), "v.0", "exact"),
            ("".into(), "v", "json"),
            ("1,\"x\":2".into(), "v", "json"),
        ] {
            let most = if rule == "maxValues" { 2 } else { 100 };
            let refused = parse_value("v", &text, most).expect_err(&text);
            let fault = &refused.body().details.expect("details")["fields"][0];
            assert_eq!(
                (&fault["field"], &fault["rule"]),
                (&field.into(), &rule.into()),
                "{text}"
            );
        }
    }

    #[test]
    fn a_text_that_is_not_an_object_is_refused() {
        for text in ["[]", "null", "1", "\"a\""] {
            assert_eq!(field_and_rule(text), ("corpo".into(), "type".into()));
        }
        for text in ["", "{", "{} x", r#"{"a":"\ud83c"}"#, "{\"a\":1,}"] {
            assert_eq!(
                field_and_rule(text),
                ("corpo".into(), "json".into()),
                "{text}"
            );
        }
    }
}
