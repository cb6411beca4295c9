-- A new version of a metric counts earlier records first. Meanwhile the version before serves summaries.

-- +goose Up
alter table usage_progress add column catching_up boolean not null default false;
create index usage_progress_catching_up on usage_progress (environment_id, version_id) where catching_up;
