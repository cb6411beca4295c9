-- A deleted test clock keeps its row, to which its customers and their subscriptions refer.

-- +goose Up
alter table test_clocks
    add column deleted_at timestamptz,
    add constraint test_clocks_deleted check (deleted_at is null or status = 'ready');
