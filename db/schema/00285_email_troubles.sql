-- Senders whose mail server fails, and mails that were given up, are counted at each scrape.
--
-- Stepping back: nothing.

-- +goose NO TRANSACTION
-- +goose Up
-- Building them waits for open transactions, and stops none. One that was interrupted left an index that is not used.
set lock_timeout = 0;
drop index concurrently if exists email_senders_failing;
create index concurrently email_senders_failing on email_senders (failing_since) where failing_since is not null and deleted_at is null;
drop index concurrently if exists emails_failed;
create index concurrently emails_failed on emails (created_at) where status = 'failed';
set lock_timeout = '1s';
