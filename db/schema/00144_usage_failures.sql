-- Why the usage of a draft could not be rated, and the time of the retry: docs/adr/0058-rating-usage.md. Each statement
-- is a separate transaction, and may be repeated.
--
-- Stepping back: it rates such drafts again as soon as it wakes, and does not say that it failed.

-- +goose NO TRANSACTION
-- +goose Up
alter table invoices add column if not exists usage_failure jsonb; -- of a draft only; null: its usage is not due, or not tried yet

set lock_timeout = 0;
drop index concurrently if exists invoices_unrated;
create index concurrently invoices_unrated on invoices (environment_id, id) where usage_failure is not null;
set lock_timeout = '1s'; -- as db.Migrate sets it

-- A draft whose usage could not be rated is due again after its grace.
create or replace view overlooked_dates as
select i.environment_id, i.subscription_id, 'finalize_invoice' as kind, i.finalizes_at as at
from invoices i
join subscriptions c on c.environment_id = i.environment_id and c.id = i.subscription_id
where i.status = 'draft' and i.finalizes_at is not null and c.test_clock_id is null
  and (c.next_action_at is null or c.next_action_at > coalesce((i.usage_failure ->> 'retryAt')::timestamptz, i.finalizes_at))
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
