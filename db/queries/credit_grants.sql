-- name: CreditGrantInsert :exec
-- Grant, what all grants come to and entry in one statement, as CreditGive has it.
with balance as (
    insert into credit_balances (environment_id, customer_id, currency, balance, granted)
    values (@environment_id, @customer_id, @currency, 0, @amount)
    on conflict (environment_id, customer_id, currency) do update set granted = credit_balances.granted + excluded.granted
    returning balance + granted as total
), made as (
    insert into credit_grants (
        id, environment_id, customer_id, test_clock_id, currency, amount, remaining, priority, plan_ids, name, metadata, expires_at,
        created_at
    )
    select @id, @environment_id, @customer_id, @test_clock_id, @currency, @amount, @amount, @priority, @plan_ids, @name, @metadata,
        @expires_at, @created_at
    from balance
    returning id
)
insert into credit_entries (id, environment_id, customer_id, currency, amount, reason, grant_id, balance_after, created_at)
select @entry_id, @environment_id, @customer_id, @currency, @amount, 'granted', made.id, balance.total, @entered_at::timestamptz
from balance, made;

-- name: CreditGrantMove :exec
-- If less is left than asked for, nothing changes, and the caller learns so.
with moved as (
    update credit_grants g set remaining = g.remaining + @amount
    where g.environment_id = @environment_id and g.id = @grant_id and g.remaining + @amount >= 0
    returning g.customer_id, g.currency
), balance as (
    update credit_balances b set granted = b.granted + @amount
    from moved m
    where b.environment_id = @environment_id and b.customer_id = m.customer_id and b.currency = m.currency
    returning b.customer_id, b.currency, b.balance + b.granted as total
), written as (
    insert into credit_entries (id, environment_id, customer_id, currency, amount, reason, invoice_id, grant_id, balance_after, created_at)
    select @id, @environment_id, balance.customer_id, balance.currency, @amount, @reason, @invoice_id, @grant_id, balance.total, @created_at
    from balance
    returning 1
)
select 1 / count(*) from written;

-- name: CreditGrantClose :exec
with written as (
    update credit_grants set expired_at = @expired_at, voided_at = @voided_at
    where environment_id = @environment_id and id = @id
    returning 1
)
select 1 / count(*) from written;

-- name: CreditGrantGetWithKey :one
select sqlc.embed(k), sqlc.embed(g), c.now_at as clock_now
from api_key_details k
join credit_grants g on g.environment_id = k.environment_id and g.id = @id
left join test_clocks c on c.environment_id = g.environment_id and c.id = g.test_clock_id
where k.hash = @hash;

-- name: CreditGrantList :many
select sqlc.embed(g), c.now_at as clock_now
from credit_grants g
left join test_clocks c on c.environment_id = g.environment_id and c.id = g.test_clock_id
where g.environment_id = @environment_id and g.customer_id = @customer_id
  and (sqlc.narg('currency')::text is null or g.currency = sqlc.narg('currency'))
  and g.position < @below::bigint and g.position > @above::bigint
order by case when @forward::boolean then g.position end, g.position desc
limit @row_limit;

-- name: CreditGrantLock :one
-- Under the lock of the balance, as all that changes grants.
select sqlc.embed(g)
from credit_grants g
where g.environment_id = @environment_id and g.id = @id
for no key update;

-- name: CreditGrantCountUsable :one
-- Under the lock of the balance.
select count(*)::integer
from credit_grants g
where g.environment_id = @environment_id and g.customer_id = @customer_id and g.currency = @currency and g.remaining > 0;

-- name: CreditGrantListUsable :many
-- The grants of a customer in a currency with a rest, and the named ones. The balance is locked, so that they do not
-- change.
select sqlc.embed(g)
from credit_grants g
where g.environment_id = @environment_id and g.customer_id = @customer_id and g.currency = @currency and g.voided_at is null
  and (g.remaining > 0 or g.id = any(@ids::text[]))
order by g.id;

-- name: CreditGrantListDue :many
-- In real time, over all environments. Where a period of the customer should have been billed before the end, it may still use
-- the grant.
select g.environment_id, g.id, g.customer_id, g.currency
from credit_grants g
where g.test_clock_id is null and g.remaining > 0 and g.ends_at <= @due_by
  and not exists (
      select from subscriptions s
      where s.environment_id = g.environment_id and s.customer_id = g.customer_id and s.finished_at is null
        and s.next_action_at < g.ends_at)
order by g.ends_at
limit @row_limit;

-- name: CreditGrantListDueOnClock :many
select g.id, g.customer_id, g.currency
from credit_grants g
where g.environment_id = @environment_id and g.test_clock_id = @test_clock_id and g.remaining > 0 and g.ends_at <= @due_by
  and not exists (
      select from subscriptions s
      where s.environment_id = g.environment_id and s.customer_id = g.customer_id and s.finished_at is null
        and s.next_action_at < g.ends_at)
order by g.ends_at, g.id
limit 100;
