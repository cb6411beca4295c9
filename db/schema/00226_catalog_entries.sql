-- What a catalogue file describes beside plans (ADR 86): products, tax rates, metrics and coupons, each found by the key that the
-- file gives it. The key of a metric is its name, that of a coupon its code.
--
-- Stepping back: it refuses files with other sections than `plans`, and keeps these rows.

-- +goose Up
create table catalog_entries (
    environment_id text not null references environments,
    kind           text not null check (kind in ('product', 'tax_rate', 'metric', 'coupon')),
    key            text not null check (length(key) between 1 and 100),
    object_id      text not null,
    primary key (environment_id, kind, key)
);
create unique index catalog_entries_object on catalog_entries (environment_id, kind, object_id);
