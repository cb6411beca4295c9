-- name: DisputeSave :exec
insert into disputes (
    id, environment_id, transaction_id, ref, status, stage, reason, amount, currency, amount_withdrawn, evidence_due_at,
    opened_at, closed_at
) values (
    @id, @environment_id, @transaction_id, @ref, @status, @stage, @reason, @amount, @currency, @amount_withdrawn,
    @evidence_due_at, @opened_at, @closed_at
)
on conflict (environment_id, id) do update
set status = excluded.status, stage = excluded.stage, reason = excluded.reason, amount = excluded.amount,
    currency = excluded.currency, amount_withdrawn = excluded.amount_withdrawn, evidence_due_at = excluded.evidence_due_at,
    closed_at = excluded.closed_at;

-- name: DisputeGetWithKey :one
select sqlc.embed(k), sqlc.embed(d), sqlc.embed(t)
from api_key_details k
join disputes d on d.environment_id = k.environment_id and d.id = @id
join transactions t on t.environment_id = d.environment_id and t.id = d.transaction_id
where k.hash = @hash;

-- name: DisputeList :many
select sqlc.embed(d), sqlc.embed(t)
from disputes d
join transactions t on t.environment_id = d.environment_id and t.id = d.transaction_id
where d.environment_id = @environment_id
  and (sqlc.narg('transaction_id')::text is null or d.transaction_id = sqlc.narg('transaction_id'))
  and (sqlc.narg('customer_id')::text is null or d.customer_id = sqlc.narg('customer_id'))
  and (sqlc.narg('status')::text is null or d.status = sqlc.narg('status'))
  and (sqlc.narg('opened_from')::timestamptz is null or d.opened_at >= sqlc.narg('opened_from'))
  and (sqlc.narg('opened_to')::timestamptz is null or d.opened_at < sqlc.narg('opened_to'))
  and d.position < @below::bigint and d.position > @above::bigint
order by case when @forward::boolean then d.position end, d.position desc
limit @row_limit;

-- name: DisputeListUnanswered :many
-- Global: for operators, sorted by the time by which they must be answered.
select d.environment_id, d.id, d.transaction_id, d.evidence_due_at
from disputes d
where d.status = 'open'
order by d.evidence_due_at nulls last, d.opened_at
limit @row_limit;
