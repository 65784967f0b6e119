//! The schema: one set of migrations for SQLite and PostgreSQL.
//!
//! The statements use only SQL that both databases understand. Instants are `BIGINT` milliseconds
//! since the Unix epoch, documents are JSON in `TEXT`, ids are UUIDv7 text.

mod m20260822_000001_spine;
mod m20260822_000002_media;
mod m20260822_000003_contents;
mod m20260822_000004_projects;
mod m20260822_000005_email_drafts;
mod m20260822_000006_skills;
mod m20260822_000007_knowledge;
mod m20261121_000008_vectors;
mod m20261122_000009_known_networks;
mod m20261122_000010_jobs;
mod m20261122_000011_lean_rows;
mod m20261122_000012_hosted_identities;
mod m20261122_000013_connections;
mod m20261122_000014_publications;
mod m20261122_000015_videos;
mod m20261122_000016_sales;
mod m20261122_000017_figures;
mod m20261122_000018_agents;
mod m20261122_000019_deliveries_kept;
mod m20261122_000020_media_months;
mod m20261122_000021_purchases_of_a_product;
mod m20261123_000022_sessions_by_id;
mod m20261123_000023_codes_end;
mod m20261124_000024_agenda_search;
mod m20261124_000025_touch_months;
mod m20261125_000026_touches_by_origin;
mod m20261125_000027_media_sources;
mod m20261125_000028_search_texts;
mod m20261125_000029_post_links;
mod m20261126_000030_uploads;
mod m20261127_000031_attempts;
mod m20261128_000032_budgets;
mod m20261128_000033_remarks;
mod m20261128_000034_guest_links;
mod m20261128_000035_approval_stages;
mod m20261128_000036_notifications;
mod m20261128_000037_webhooks;
mod m20261128_000038_calendar_feeds;
mod m20261128_000039_mails;
mod m20261128_000040_event_variants;
mod m20261128_000041_scheduled_publications;
mod m20261128_000042_push_devices;
mod m20261128_000043_remarks_on_emails;
mod m20261128_000045_post_reminders;
mod m20261128_000046_post_results;
mod m20261128_000047_refused_variants;
mod m20261128_000048_open_publications;
mod m20261128_000049_device_renewals;
mod m20261128_000050_post_snoozes;
mod m20261129_000052_unlisted_notifications;
mod m20261129_000053_link_visits;
mod m20261129_000054_reading_indexes;
mod plain;

pub use plain::Plain as Migration;

/// All migrations, in the order of their application.
pub const MIGRATIONS: &[&Migration] = &[
    &m20260822_000001_spine::MIGRATION,
    &m20260822_000002_media::MIGRATION,
    &m20260822_000003_contents::MIGRATION,
    &m20260822_000004_projects::MIGRATION,
    &m20260822_000005_email_drafts::MIGRATION,
    &m20260822_000006_skills::MIGRATION,
    &m20260822_000007_knowledge::MIGRATION,
    &m20261121_000008_vectors::MIGRATION,
    &m20261122_000009_known_networks::MIGRATION,
    &m20261122_000010_jobs::MIGRATION,
    &m20261122_000011_lean_rows::MIGRATION,
    &m20261122_000012_hosted_identities::MIGRATION,
    &m20261122_000013_connections::MIGRATION,
    &m20261122_000014_publications::MIGRATION,
    &m20261122_000015_videos::MIGRATION,
    &m20261122_000016_sales::MIGRATION,
    &m20261122_000017_figures::MIGRATION,
    &m20261122_000018_agents::MIGRATION,
    &m20261122_000019_deliveries_kept::MIGRATION,
    &m20261122_000020_media_months::MIGRATION,
    &m20261122_000021_purchases_of_a_product::MIGRATION,
    &m20261123_000022_sessions_by_id::MIGRATION,
    &m20261123_000023_codes_end::MIGRATION,
    &m20261124_000024_agenda_search::MIGRATION,
    &m20261124_000025_touch_months::MIGRATION,
    &m20261125_000026_touches_by_origin::MIGRATION,
    &m20261125_000027_media_sources::MIGRATION,
    &m20261125_000028_search_texts::MIGRATION,
    &m20261125_000029_post_links::MIGRATION,
    &m20261126_000030_uploads::MIGRATION,
    &m20261127_000031_attempts::MIGRATION,
    &m20261128_000032_budgets::MIGRATION,
    &m20261128_000033_remarks::MIGRATION,
    &m20261128_000034_guest_links::MIGRATION,
    &m20261128_000035_approval_stages::MIGRATION,
    &m20261128_000036_notifications::MIGRATION,
    &m20261128_000037_webhooks::MIGRATION,
    &m20261128_000038_calendar_feeds::MIGRATION,
    &m20261128_000039_mails::MIGRATION,
    &m20261128_000040_event_variants::MIGRATION,
    &m20261128_000041_scheduled_publications::MIGRATION,
    &m20261128_000042_push_devices::MIGRATION,
    &m20261128_000043_remarks_on_emails::MIGRATION,
    &m20261128_000045_post_reminders::MIGRATION,
    &m20261128_000046_post_results::MIGRATION,
    &m20261128_000047_refused_variants::MIGRATION,
    &m20261128_000048_open_publications::MIGRATION,
    &m20261128_000049_device_renewals::MIGRATION,
    &m20261128_000050_post_snoozes::MIGRATION,
    &m20261129_000052_unlisted_notifications::MIGRATION,
    &m20261129_000053_link_visits::MIGRATION,
    &m20261129_000054_reading_indexes::MIGRATION,
];
