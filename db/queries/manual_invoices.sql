-- name: InvoiceDraftDelete :exec
with written as (
    delete from invoices
    where environment_id = @environment_id and id = @id and status = 'draft'
    returning 1
)
select 1 / count(*) from written;

-- name: InvoiceLineDeleteOfDraft :exec
delete from invoice_lines
where environment_id = @environment_id and invoice_id = @invoice_id;

-- name: TransactionLockPendingOfInvoice :many
select sqlc.embed(t)
from transactions t
where t.environment_id = @environment_id and t.invoice_id = @invoice_id::text and t.status = 'pending' and t.type = 'charge'
order by t.id
for no key update;

-- name: TaxRateListOfCustomer :many
-- Those that may hold for the customer: the rules decide by region and time.
select sqlc.embed(r)
from tax_rates r
where r.environment_id = @environment_id and r.archived_at is null
  and (r.country is null or r.country = (
      select c.country from customers c where c.environment_id = @environment_id and c.id = @customer_id))
order by r.id;

-- name: CreditBalanceLock :one
-- Locked with the customer, as CreditBalanceLockOfSubscription does.
select b.balance, b.granted
from credit_balances b
where b.environment_id = @environment_id and b.customer_id = @customer_id and b.currency = @currency
for no key update;

-- name: InvoiceListOverdue :many
-- In real time, over all environments: invoices that no workflow waits for, which are manual ones and open ones of
-- canceled subscriptions. Those of erased customers are skipped: the announcement would reach no one. Invoices of
-- canceled subscriptions that were due long before builds began to announce them stay unannounced: apps write to people
-- on this event.
select d.environment_id, d.id, d.customer_id, d.subscription_id
from (
    (select i.environment_id, i.id, i.customer_id, i.subscription_id, i.due_at
    from invoices i
    join customers c on c.environment_id = i.environment_id and c.id = i.customer_id and c.erased_at is null
    where i.subscription_id is null and i.test_clock_id is null and i.status = 'open' and i.overdue_at is null and i.due_at <= @due_by
    order by i.due_at
    limit @row_limit::int)
    union all
    (select i.environment_id, i.id, i.customer_id, i.subscription_id, i.due_at
    from invoices i
    join customers c on c.environment_id = i.environment_id and c.id = i.customer_id and c.erased_at is null and c.test_clock_id is null
    where i.subscription_id is not null and i.status = 'open' and i.phase = 'closed' and i.overdue_at is null and i.due_at <= @due_by
      and i.due_at > @left_since
    order by i.due_at
    limit @row_limit::int)
) d
order by d.due_at
limit @row_limit::int;

-- name: InvoiceListOverdueOnClock :many
select d.id, d.customer_id, d.subscription_id
from (
    select i.id, i.customer_id, i.subscription_id, i.due_at
    from invoices i
    where i.environment_id = @environment_id and i.test_clock_id = @test_clock_id and i.subscription_id is null
      and i.status = 'open' and i.overdue_at is null and i.due_at <= @due_by
    union all
    select i.id, i.customer_id, i.subscription_id, i.due_at
    from subscriptions s
    join invoices i on i.environment_id = s.environment_id and i.subscription_id = s.id
    where s.environment_id = @environment_id and s.test_clock_id = @test_clock_id and s.status = 'canceled'
      and i.status = 'open' and i.phase = 'closed' and i.overdue_at is null and i.due_at <= @due_by
) d
order by d.due_at, d.id
limit 100;
