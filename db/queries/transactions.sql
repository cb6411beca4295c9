-- name: TransactionIsKnown :one
-- Global: environments may share accounts at a provider, and each gets the callbacks of all payments.
select exists (
    select from environments e
    where exists (select from transactions t where t.environment_id = e.id and t.id = @id)) as known;

-- name: TransactionGet :one
select sqlc.embed(t) from transactions t where t.environment_id = @environment_id and t.id = @id;

-- name: TransactionGetWithKey :one
select sqlc.embed(k), sqlc.embed(t)
from api_key_details k
join transactions t on t.environment_id = k.environment_id and t.id = @id
where k.hash = @hash;

-- name: TransactionLock :one
select sqlc.embed(t) from transactions t where t.environment_id = @environment_id and t.id = @id for no key update;

-- name: TransactionLockWithPayer :one
select sqlc.embed(t),
    exists (
        select from customers c
        where c.environment_id = t.environment_id and c.id = t.customer_id and c.erased_at is not null) as payer_erased,
    coalesce((
        select c.country from customers c
        where c.environment_id = t.environment_id and c.id = t.customer_id), '')::text as payer_country,
    coalesce((select d.since from database_server d), 'epoch')::timestamptz as restored_at,
    coalesce((select d.identity from database_server d) = database_identity(), false)::boolean as same_server
from transactions t
where t.environment_id = @environment_id and t.id = @id
for no key update;

-- name: TransactionGetByConfirmToken :one
-- Global: the token is the right to see the payment's page; the request names no environment.
select sqlc.embed(t) from transactions t where t.confirm_token = @confirm_token::text;

-- name: TransactionGetByProviderRef :one
select sqlc.embed(t)
from transactions t
where t.environment_id = @environment_id and t.provider_config_id = @provider_config_id and t.provider_ref = @provider_ref
  and t.type = @type and t.recovered_from is null;

-- name: TransactionGetSuperseding :one
-- The transaction whose further capture, booked as one of its own, a provider calls so. Few are captured twice.
select sqlc.embed(t)
from transactions r
join transactions t on t.environment_id = r.environment_id and t.id = r.recovered_from
where r.environment_id = @environment_id and r.recovered_from is not null and r.provider_config_id = @provider_config_id
  and r.provider_ref = @provider_ref;

-- name: TransactionLockRecovered :one
select sqlc.embed(t)
from transactions t
where t.environment_id = @environment_id and t.recovered_from = @recovered_from::text
for no key update;

-- name: TransactionList :many
-- The caller narrows the positions to a span of time, too. coalesce keeps the planner from counting the span twice: see
-- EventList.
select sqlc.embed(t)
from transactions t
where t.environment_id = @environment_id
  and (sqlc.narg('customer_id')::text is null or t.customer_id = sqlc.narg('customer_id'))
  and (sqlc.narg('subscription_id')::text is null or t.subscription_id = sqlc.narg('subscription_id'))
  and (sqlc.narg('invoice_id')::text is null or t.invoice_id = sqlc.narg('invoice_id'))
  and (sqlc.narg('status')::text is null or t.status = sqlc.narg('status'))
  and (sqlc.narg('type')::text is null or t.type = sqlc.narg('type'))
  and (not @refund_owed::boolean or t.refund_owed > 0)
  and (sqlc.narg('provider_config_id')::text is null or t.provider_config_id = sqlc.narg('provider_config_id'))
  and coalesce(t.created_at >= sqlc.narg('created_from')::timestamptz, true)
  and coalesce(t.created_at < sqlc.narg('created_to')::timestamptz, true)
  and t.position < @below::bigint and t.position > @above::bigint
order by case when @forward::boolean then t.position end, t.position desc
limit @row_limit;

-- name: TransactionListInTime :many
-- TransactionList by time instead of position: for payments that were not written at their creation time, and, where
-- those are many, for all. All payments of the time are read and sorted: the sum keeps the planner from walking the
-- positions.
select sqlc.embed(t)
from transactions t
where t.environment_id = @environment_id
  and t.created_virtually = any(@virtually::boolean[]) and t.created_at >= @created_from and t.created_at < @created_to
  and (sqlc.narg('customer_id')::text is null or t.customer_id = sqlc.narg('customer_id'))
  and (sqlc.narg('subscription_id')::text is null or t.subscription_id = sqlc.narg('subscription_id'))
  and (sqlc.narg('invoice_id')::text is null or t.invoice_id = sqlc.narg('invoice_id'))
  and (sqlc.narg('status')::text is null or t.status = sqlc.narg('status'))
  and (sqlc.narg('type')::text is null or t.type = sqlc.narg('type'))
  and (not @refund_owed::boolean or t.refund_owed > 0)
  and (sqlc.narg('provider_config_id')::text is null or t.provider_config_id = sqlc.narg('provider_config_id'))
  and t.position < @below::bigint and t.position > @above::bigint
order by case when @forward::boolean then t.position + 0 end, t.position + 0 desc
limit @row_limit;

-- name: TransactionPositionsAround :one
-- The positions between which every payment lies that was created in a span of time and written then; crowded: among them are
-- many that were not.
select s.above, s.below, (
    select count(*) from (
        select from transactions t
        where t.environment_id = @environment_id and t.created_virtually and t.position > s.above and t.position < s.below
        limit @crowd) v) = @crowd::bigint as crowded
from (
    select
        coalesce((select t.position from transactions t
                  where t.environment_id = @environment_id and not t.created_virtually and t.created_at < @first_at
                  order by t.created_at desc limit 1), 0)::bigint as above,
        coalesce((select t.position from transactions t
                  where t.environment_id = @environment_id and not t.created_virtually and t.created_at >= @end_at
                  order by t.created_at limit 1), 9223372036854775807)::bigint as below
) s;

-- name: TransactionListRefunds :many
select sqlc.embed(t)
from transactions t
where t.environment_id = @environment_id and t.charge_id = @charge_id::text
order by t.id;

-- name: TransactionLockRefunds :many
-- Their charge is locked before them.
select sqlc.embed(t)
from transactions t
where t.environment_id = @environment_id and t.charge_id = @charge_id::text
order by t.id
for no key update;

-- name: TransactionLockPendingCharges :many
select sqlc.embed(t)
from transactions t
where t.environment_id = @environment_id and t.subscription_id = @subscription_id::text
  and t.status = 'pending' and t.type = 'charge'
order by t.id
for no key update;

-- name: TransactionLockSettling :many
-- The charges whose success counted for these invoices.
select sqlc.embed(t), s.invoice_id as settled_invoice_id
from settlements s
join transactions t on t.environment_id = s.environment_id and t.id = s.transaction_id
where s.environment_id = @environment_id and s.invoice_id = any(@invoice_ids::text[])
order by t.id
for no key update of t;

-- name: TransactionSetWakePending :exec
update transactions set wake_pending_since = @wake_pending_since
where environment_id = @environment_id and id = @id and wake_pending_since is null;

-- name: TransactionListOfProvider :many
-- Those of a provider by its references, whatever account has them, or by ours: for a comparison with its files. A capture on
-- a canceled charge is a payment of its own with the same reference.
select sqlc.embed(t)
from (
    select o.id
    from provider_configs p
    join transactions o on o.environment_id = p.environment_id and o.provider_config_id = p.id and o.provider_ref = any(@refs::text[])
      and o.recovered_from is null
    where p.environment_id = @environment_id and p.provider = @provider
    union
    select r.id
    from provider_configs p
    join transactions o on o.environment_id = p.environment_id and o.provider_config_id = p.id and o.provider_ref = any(@refs)
      and o.recovered_from is null
    join transactions r on r.environment_id = o.environment_id and r.recovered_from = o.id
    where p.environment_id = @environment_id and p.provider = @provider
    union
    select o.id from transactions o
    where o.environment_id = @environment_id and o.id = any(@ids::text[]) and o.provider = @provider
) f
join transactions t on t.environment_id = @environment_id and t.id = f.id
order by t.id;

-- name: TransactionListRefundsOf :many
select sqlc.embed(t)
from transactions t
where t.environment_id = @environment_id and t.charge_id = any(@charge_ids::text[])
order by t.id;
