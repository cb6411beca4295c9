-- A plan has versions, each a row of plans with prices of its own (ADR 42). The first has the plan's id, the later ones that
-- id with their number behind a dot, so that a subscription's plan_id says which prices it was sold, to builds from before
-- as well. Name, active, dunning and metadata are the plan's, and the same in all its rows.

-- +goose Up
alter table plans
    add column plan_id text not null generated always as (split_part(id, '.', 1)) stored,
    add column version integer not null generated always as (coalesce(nullif(split_part(id, '.', 2), ''), '1')::integer) stored,
    add column version_created_at timestamptz; -- null: with the plan
create unique index plans_version on plans (environment_id, plan_id, version);
-- Lists of plans show each once, at the place of its first version.
create index plans_listed on plans (environment_id, active, position) where version = 1;
