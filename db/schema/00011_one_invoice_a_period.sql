-- A law that only tests checked becomes a constraint for every writer; and provider calls that will not be finished get
-- an end.

-- +goose Up
-- At most one live invoice opens a period. Changes within a period (subscription_update) may issue several for the rest
-- of it; one that replaces another voids that first. By the start, which identifies a period of a subscription: after a
-- change of the interval, two may well have the same end.
create unique index invoices_one_live_per_period on invoices (environment_id, subscription_id, period_start)
    where status <> 'void' and reason in ('subscription_create', 'subscription_cycle', 'subscription_recovery');

-- cut_off: its worker died between the call and its end. Another exchange about the transaction has ended since.
alter table provider_calls drop constraint provider_calls_outcome_check;
alter table provider_calls add constraint provider_calls_outcome_check check (
    outcome in ('succeeded', 'declined', 'failed', 'canceled', 'pending', 'unknown', 'not_sent', 'not_found', 'error', 'cut_off'));
