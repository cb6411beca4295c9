-- Dates that a row carries and that its subscription does not wait for, as after a step back to a build that knows nothing of
-- them: docs/adr/0068-overlooked-dates.md. Each statement is a transaction of its own, and may be repeated.
--
-- Stepping back: it does not look for dates that nothing waits for. The present build finds them.

-- +goose NO TRANSACTION
-- +goose Up
-- Text with an offset means the same whatever the settings, so that it may be indexed.
create or replace function first_change_at(changes jsonb) returns timestamptz immutable parallel safe language sql as $$
    select (changes -> 0 ->> 'at')::timestamptz
$$;

-- Building these waits for open transactions, and stops none. One that was interrupted left an index that is not used. All are
-- small: drafts in their grace, invoices that are collected, pauses and changes at dates; the last one is empty.
set lock_timeout = 0;
drop index concurrently if exists invoices_finalizing;
create index concurrently invoices_finalizing on invoices (finalizes_at) where status = 'draft' and finalizes_at is not null;
drop index concurrently if exists invoices_retrying;
create index concurrently invoices_retrying on invoices (retry_at) where status = 'open' and phase = 'scheduled' and retry_at is not null;
drop index concurrently if exists invoices_awaiting_payment;
create index concurrently invoices_awaiting_payment on invoices (due_at)
    where status = 'open' and subscription_id is not null and overdue_at is null and due_at is not null;
drop index concurrently if exists subscriptions_resuming;
create index concurrently subscriptions_resuming on subscriptions (resumes_at) where status = 'paused' and resumes_at is not null;
drop index concurrently if exists subscriptions_changing;
create index concurrently subscriptions_changing on subscriptions (first_change_at(scheduled_changes)) where scheduled_changes is not null;
drop index concurrently if exists subscriptions_overlooked;
create index concurrently subscriptions_overlooked on subscriptions (environment_id, id)
    where finished_at is null and test_clock_id is null and status in ('trialing', 'active', 'past_due')
      and (next_action_at is null or next_action_at > least(current_period_end, trial_notice_at));
set lock_timeout = '1s'; -- as db.Migrate has it

-- Every date of an automatic action of a subscription in real time, where its next action is later, or none: the rules
-- never leave one so. Not here: dates that they compute from settings (reminders, the cancellation of one that is past
-- due), and rows without a next action (grants, manual invoices, payments), which the reconciler finds by their own
-- date. The next action is compared in each branch, so that no estimate can lead to a join with the whole table of
-- subscriptions.
create or replace view overlooked_dates as
select i.environment_id, i.subscription_id, 'finalize_invoice' as kind, i.finalizes_at as at
from invoices i
join subscriptions c on c.environment_id = i.environment_id and c.id = i.subscription_id
where i.status = 'draft' and i.finalizes_at is not null and c.test_clock_id is null
  and (c.next_action_at is null or c.next_action_at > i.finalizes_at)
union all
select i.environment_id, i.subscription_id, 'payment_retry', i.retry_at
from invoices i
join subscriptions c on c.environment_id = i.environment_id and c.id = i.subscription_id and c.collecting_invoice_id = i.id
where i.status = 'open' and i.phase = 'scheduled' and i.retry_at is not null and c.collection_paused_at is null and c.status <> 'canceled'
  and c.test_clock_id is null and (c.next_action_at is null or c.next_action_at > i.retry_at)
union all
select i.environment_id, i.subscription_id, 'invoice_overdue', i.due_at
from invoices i
join subscriptions c on c.environment_id = i.environment_id and c.id = i.subscription_id and c.collecting_invoice_id = i.id
where i.status = 'open' and i.subscription_id is not null and i.overdue_at is null and i.due_at is not null
  and i.phase <> 'charging' and c.status <> 'canceled'
  and c.test_clock_id is null and (c.next_action_at is null or c.next_action_at > i.due_at)
union all
select c.environment_id, c.id, 'resume', c.resumes_at
from subscriptions c
where c.status = 'paused' and c.resumes_at is not null
  and c.test_clock_id is null and (c.next_action_at is null or c.next_action_at > c.resumes_at)
union all
select c.environment_id, c.id, 'scheduled_change', first_change_at(c.scheduled_changes)
from subscriptions c
where c.scheduled_changes is not null and c.status not in ('paused', 'canceled')
  and c.test_clock_id is null and (c.next_action_at is null or c.next_action_at > first_change_at(c.scheduled_changes))
  and not exists (
      select from invoices i
      where i.environment_id = c.environment_id and i.subscription_id = c.id and i.status = 'open' and i.phase = 'charging')
union all
select c.environment_id, c.id, case when c.trial_notice_at < c.current_period_end then 'trial_notice' else 'renewal' end,
    least(c.current_period_end, c.trial_notice_at)
from subscriptions c
where c.finished_at is null and c.test_clock_id is null and c.status in ('trialing', 'active', 'past_due')
  and (c.next_action_at is null or c.next_action_at > least(c.current_period_end, c.trial_notice_at));
