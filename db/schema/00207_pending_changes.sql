-- Changes of subscriptions that wait for the payment of their invoice: docs/adr/0084-money-that-does-not-come.md.
--
-- Stepping back: builds from before neither make a change whose invoice is paid, nor withdraw one whose time to pay has passed. The present
--   build does both when it is back, up to a renewal or another change meanwhile: withdraw what waits first
--   (`select id from subscriptions where pending_change is not null`).

-- +goose Up
-- Existing rows satisfy each constraint, so it need not read them.
alter table subscriptions
    drop constraint subscriptions_next_action_check,
    add column pending_change jsonb,
    add constraint subscriptions_next_action_check check (next_action in ('begin', 'trial_notice', 'trial_end',
        'renewal_reminder', 'scheduled_change', 'renewal', 'cancel', 'payment_retry', 'invoice_overdue', 'finalize_invoice',
        'bill_usage', 'past_due_cancel', 'incomplete_end', 'pending_change_end', 'resume', 'none')) not valid;

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
  and (c.next_action_at is null or c.next_action_at > least(c.current_period_end, c.trial_notice_at))
union all
select c.environment_id, c.id, 'incomplete_end', c.incomplete_until
from subscriptions c
where c.status = 'incomplete' and c.period_index > 0 and c.test_clock_id is null
  and (c.next_action_at is null or c.next_action_at > c.incomplete_until)
union all
select c.environment_id, c.id, 'pending_change_end', (c.pending_change ->> 'until')::timestamptz
from subscriptions c
where c.pending_change is not null and c.status <> 'canceled' and c.test_clock_id is null
  and (c.next_action_at is null or c.next_action_at > (c.pending_change ->> 'until')::timestamptz);
