-- A receiver that answers 410 disables its endpoint, and each change to disabled notes why.
--
-- Stepping back: builds from before leave such endpoints disabled and let them be enabled; a 410 is a failure like others to them.

-- +goose NO TRANSACTION
-- +goose Up
alter table webhook_endpoint_changes add column if not exists reason text check (reason in ('requested', 'failing', 'gone'));
alter table webhook_endpoints drop constraint if exists webhook_endpoints_disabled_reason_check,
    add constraint webhook_endpoints_disabled_reason_check check (disabled_reason in ('requested', 'failing', 'gone', 'deleted')) not valid;

-- Building it waits for open transactions, and stops none. One that was interrupted left an index that is not used.
set lock_timeout = 0;
drop index concurrently if exists webhook_endpoints_disabled_by_failures;
create index concurrently webhook_endpoints_disabled_by_failures on webhook_endpoints (disabled_at)
    where disabled_reason in ('failing', 'gone');
drop index concurrently if exists webhook_endpoints_given_up;
set lock_timeout = '1s';
