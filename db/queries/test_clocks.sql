-- name: TestClockGet :one
select sqlc.embed(c) from test_clocks c where c.environment_id = @environment_id and c.id = @id;

-- name: TestClockGetWithKey :one
select sqlc.embed(k), sqlc.embed(c)
from api_key_details k
join test_clocks c on c.environment_id = k.environment_id and c.id = @id
where k.hash = @hash;

-- name: TestClockLock :one
select sqlc.embed(c)
from test_clocks c
where c.environment_id = @environment_id and c.id = @id and c.deleted_at is null
for no key update;

-- name: TestClockGetOfSubscription :one
select sqlc.embed(c)
from subscriptions s
join test_clocks c on c.environment_id = s.environment_id and c.id = s.test_clock_id
where s.environment_id = @environment_id and s.id = @subscription_id;

-- name: TestClockList :many
select sqlc.embed(c)
from test_clocks c
where c.environment_id = @environment_id and c.deleted_at is null
  and c.position < @below::bigint and c.position > @above::bigint
order by case when @forward::boolean then c.position end, c.position desc
limit @row_limit;

-- name: TestClockNextDue :one
-- Null: nothing on the clock waits for a time.
select d.next_due::timestamptz as next_due
from (
    select least(
        (select min(s.next_action_at) from subscriptions s
         where s.environment_id = @environment_id and s.test_clock_id = @test_clock_id and s.finished_at is null),
        (select min(i.due_at) from invoices i
         where i.environment_id = @environment_id and i.test_clock_id = @test_clock_id and i.subscription_id is null
           and i.status = 'open' and i.overdue_at is null),
        (select min(i.due_at) from subscriptions s
         join invoices i on i.environment_id = s.environment_id and i.subscription_id = s.id
         where s.environment_id = @environment_id and s.test_clock_id = @test_clock_id and s.status = 'canceled'
           and i.status = 'open' and i.phase = 'closed' and i.overdue_at is null),
        (select min(m.notice_due_at) from customers c
         join payment_methods m on m.environment_id = c.environment_id and m.customer_id = c.id
         where c.environment_id = @environment_id and c.test_clock_id = @test_clock_id and m.removed_at is null),
        (select min(c.overdue_due_at) from customers c
         where c.environment_id = @environment_id and c.test_clock_id = @test_clock_id and c.overdue_due_at is not null),
        (select min(g.ends_at) from credit_grants g
         where g.environment_id = @environment_id and g.test_clock_id = @test_clock_id and g.remaining > 0 and g.ends_at is not null)) as next_due
) d
where d.next_due is not null;

-- name: TestClockListDue :many
-- A hundred at a time, so that a step of the clock stays short however many are due at one instant.
select s.id
from subscriptions s
where s.environment_id = @environment_id and s.test_clock_id = @test_clock_id and s.finished_at is null
  and s.next_action_at <= @due_at
order by s.next_action_at, s.id
limit 100;

-- name: TestClockListPending :many
-- By customer, so that charges without a subscription hold the clock too. A hundred of them tell enough.
select t.id
from customers c
join transactions t on t.environment_id = c.environment_id and t.customer_id = c.id
where c.environment_id = @environment_id and c.test_clock_id = @test_clock_id and t.status = 'pending'
order by t.id
limit 100;
