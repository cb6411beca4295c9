-- name: InvoiceListOwed :many
-- What a customer's open invoices ask for, oldest first, under the customer's lock. The first invoice of a subscription that waits for it
-- is no debt, nor is that of a change that waits.
select sqlc.embed(i)
from invoices i
left join subscriptions s on s.environment_id = i.environment_id and s.id = i.subscription_id
where i.environment_id = @environment_id and i.customer_id = @customer_id and i.status = 'open' and s.status is distinct from 'incomplete'
  and (s.pending_change ->> 'invoiceId') is distinct from i.id
order by i.number, i.id;

-- name: CustomerSaveOverdue :exec
-- The standing of a customer and when it is reviewed next. Under the customer's lock, and no change of the customer that its revision
-- counts: the app's changes do not compete with it.
with written as (
    update customers set overdue = @overdue, overdue_due_at = @overdue_due_at
    where environment_id = @environment_id and id = @id
    returning 1
)
select 1 / count(*) from written;

-- name: CustomerMarkToReview :exec
-- At once: in real time from now on, so that it shows how long it waits.
update customers set overdue_due_at = case when test_clock_id is null then @now::timestamptz else to_timestamp(0) end
where environment_id = @environment_id and id = @id and erased_at is null;

-- name: CustomerListToReview :many
-- Over all environments: in real time, and those of clocks by the time of theirs. A step of a clock finds its own before; these are left
-- where a clock stands still.
select d.environment_id, d.id
from (
    (select c.environment_id, c.id, c.overdue_due_at
    from customers c
    where c.test_clock_id is null and c.overdue_due_at <= @due_by
    order by c.overdue_due_at
    limit @row_limit::int)
    union all
    (select c.environment_id, c.id, c.overdue_due_at
    from customers c
    join test_clocks k on k.environment_id = c.environment_id and k.id = c.test_clock_id
    where c.test_clock_id is not null and c.overdue_due_at <= k.now_at and k.deleted_at is null and k.status = 'ready'
    order by c.overdue_due_at
    limit @row_limit::int)
) d
order by d.overdue_due_at, d.id
limit @row_limit::int;

-- name: CustomerListToReviewOnClock :many
select c.id
from customers c
where c.environment_id = @environment_id and c.test_clock_id = @test_clock_id and c.overdue_due_at <= @due_by
order by c.overdue_due_at, c.id
limit 100;

-- name: SubscriptionListToCancelForDebt :many
-- Those that the customer had when the state began.
select s.id
from subscriptions s
where s.environment_id = @environment_id and s.customer_id = @customer_id and s.status <> 'canceled' and s.created_at <= @since
order by s.id
limit @row_limit;

-- name: EnvironmentListToSweep :many
-- Over all environments: those whose customers are to follow a new policy, and up to which customer they do.
select e.id, e.overdue_sweep::text as overdue_sweep from environments e where e.overdue_sweep is not null order by e.id limit @row_limit;

-- name: CustomerSweepToReview :one
-- Marks the next customers with open invoices, in id order as everywhere where several are locked. The answer is the last of them; empty:
-- there are no more.
with owing as (
    select distinct i.customer_id
    from invoices i
    where i.environment_id = @environment_id and i.status = 'open' and i.customer_id > @after::text
    order by i.customer_id
    limit @row_limit
), unmarked as (
    select c.id
    from customers c
    join owing o on o.customer_id = c.id
    where c.environment_id = @environment_id
    order by c.id
    for no key update of c
), marked as (
    update customers c
    set overdue_due_at = case when c.test_clock_id is null then @now::timestamptz else to_timestamp(0) end
    from unmarked u
    where c.environment_id = @environment_id and c.id = u.id and c.erased_at is null
)
select coalesce(max(o.customer_id), '')::text as last_id from owing o;

-- name: EnvironmentSetSweep :exec
-- Nothing changes where another new policy has begun a sweep of its own.
update environments set overdue_sweep = sqlc.narg('next')::text
where id = @environment_id and overdue_sweep = @former::text;
