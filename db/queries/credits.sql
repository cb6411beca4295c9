-- name: CreditGive :exec
-- Balance and entry in one statement, so that the sum of the entries is always the balance. The entry shows the
-- customer's whole credit, grants included.
with balance as (
    insert into credit_balances (environment_id, customer_id, currency, balance)
    values (@environment_id, @customer_id, @currency, @amount)
    on conflict (environment_id, customer_id, currency) do update set balance = credit_balances.balance + excluded.balance
    returning balance + granted as total
)
insert into credit_entries (id, environment_id, customer_id, currency, amount, reason, invoice_id, note, balance_after, created_at)
select @id, @environment_id, @customer_id, @currency, @amount, @reason, @invoice_id, @note, balance.total, @created_at
from balance;

-- name: CreditUse :exec
-- Separate from CreditGive, which may leave a debit. If the balance is less than asked for, nothing changes, and the
-- caller learns so.
with balance as (
    update credit_balances set balance = balance + @amount
    where credit_balances.environment_id = @environment_id and credit_balances.customer_id = @customer_id
      and credit_balances.currency = @currency and balance + @amount >= 0
    returning balance + granted as total
), written as (
    insert into credit_entries (id, environment_id, customer_id, currency, amount, reason, invoice_id, balance_after, created_at)
    select @id, @environment_id, @customer_id, @currency, @amount, @reason, @invoice_id, balance.total, @created_at
    from balance
    returning 1
)
select 1 / count(*) from written;

-- name: CreditBalanceGet :one
select b.balance from credit_balances b
where b.environment_id = @environment_id and b.customer_id = @customer_id and b.currency = @currency;

-- name: CreditBalanceList :many
select b.customer_id, b.currency, b.balance, b.granted
from credit_balances b
where b.environment_id = @environment_id and b.customer_id = any(@customer_ids::text[]) and (b.balance <> 0 or b.granted <> 0)
order by b.customer_id, b.currency;

-- name: CreditBalanceListWithKey :many
select b.customer_id, b.currency, b.balance, b.granted
from api_keys k
join credit_balances b on b.environment_id = k.environment_id and b.customer_id = @customer_id
where k.hash = @hash and (b.balance <> 0 or b.granted <> 0)
order by b.currency;

-- name: CreditBalanceLockOfSubscription :one
-- Behind the customer's lock, which also works where there is no balance yet: two subscriptions of one customer never
-- spend the same credit, and grants change under both. The sum of the grants shows whether there are any to read.
select b.balance, b.granted
from credit_balances b
where b.environment_id = @environment_id
  and (b.customer_id, b.currency) = (
      select s.customer_id, s.currency from subscriptions s where s.environment_id = @environment_id and s.id = @subscription_id)
for no key update;

-- name: CreditEntryList :many
select sqlc.embed(e)
from credit_entries e
where e.environment_id = @environment_id and e.customer_id = @customer_id
  and (sqlc.narg('currency')::text is null or e.currency = sqlc.narg('currency'))
  and e.position < @below::bigint and e.position > @above::bigint
order by case when @forward::boolean then e.position end, e.position desc
limit @row_limit;

-- name: CreditEntrySumNotedToGrants :many
-- The amounts that credit notes of an invoice gave back to grants. The balance is locked.
select e.grant_id::text as grant_id, sum(e.amount)::bigint as amount
from credit_entries e
where e.environment_id = @environment_id and e.customer_id = @customer_id and e.invoice_id = @invoice_id
  and e.grant_id is not null and e.reason = 'credit_note'
group by e.grant_id;
