-- A subscription may have changes that take effect at dates (ADR 50).
--
-- Stepping back: it makes no change at its date. The present build finds those whose date has passed, and makes them then.

-- +goose Up
alter table subscriptions
    -- In the order of their dates. They are no rows of their own, since a decision has read this one anyway. Null:
    -- none.
    add column scheduled_changes jsonb,
    add column scheduled_plan_ids text[], -- the versions of plans and add-ons that they lead to
    -- No row has a value yet, so that none need be read.
    add constraint subscriptions_scheduled_changes check (jsonb_typeof(scheduled_changes) = 'array') not valid;
-- +goose StatementBegin
do $$
declare
    known text := pg_get_constraintdef((
        select oid from pg_constraint
        where conrelid = 'subscriptions'::regclass and conname = 'subscriptions_next_action_check'));
begin
    alter table subscriptions drop constraint subscriptions_next_action_check;
    execute 'alter table subscriptions add constraint subscriptions_next_action_check '
        || replace(known, 'ARRAY[', 'ARRAY[''scheduled_change''::text, ');
end $$;
-- +goose StatementEnd
