-- name: ProviderCallInsert :exec
insert into provider_calls (
    id, environment_id, transaction_id, operation, send_number, key, started_at, searched_config_id, searched_since
) values (
    @id, @environment_id, @transaction_id, @operation, @send_number, @key, @started_at, @searched_config_id, @searched_since
);

-- name: ProviderCallFinish :exec
-- Other calls of the transaction that are still open count as cut off with their workers: most are, and would otherwise
-- never be ended. A worker that was only slow overwrites that with its end.
with cut_off as (
    update provider_calls c
    set outcome = 'cut_off', ended_at = @ended_at
    where c.environment_id = @environment_id and c.transaction_id = @transaction_id and c.id <> @id and c.ended_at is null
), written as (
    update provider_calls
    set outcome = @outcome, http_status = @http_status, response = @response, ended_at = @ended_at
    where environment_id = @environment_id and transaction_id = @transaction_id and id = @id
      and (ended_at is null or outcome = 'cut_off')
    returning 1
)
select 1 / count(*) from written;

-- name: ProviderCallCutOff :exec
-- As ProviderCallFinish does to the others, where no call has ended: a callback has proven what came of them.
update provider_calls
set outcome = 'cut_off', ended_at = @ended_at
where environment_id = @environment_id and transaction_id = @transaction_id and ended_at is null;

-- name: ProviderCallList :many
select sqlc.embed(c)
from provider_calls c
where c.environment_id = @environment_id and c.transaction_id = @transaction_id
order by c.id;

-- name: ProviderCallListSearched :many
-- The questions of a search for lost sends since a restore, and whether the account had nothing under that key, or an
-- operation that ended without money. One without an end is under way, or its worker died.
select c.searched_config_id::text as searched_config_id, c.send_number::integer as send_number,
    bool_or(c.outcome is not distinct from 'not_found')::boolean as absent,
    bool_or(coalesce(c.outcome in ('declined', 'failed', 'canceled'), false))::boolean as ended,
    max(c.started_at)::timestamptz as asked_at
from provider_calls c
where c.environment_id = @environment_id and c.transaction_id = @transaction_id and c.searched_since = @searched_since
group by c.searched_config_id, c.send_number;

-- name: CallbackInsert :one
-- No row comes back for a message that is stored already: providers repeat themselves.
insert into provider_callbacks (
    id, environment_id, provider_config_id, provider_event_id, type, transaction_id, provider_ref, received_at, processed_at,
    kind, lost_transaction_id, key, evidence_outcome, evidence_ref, evidence_amount, evidence_currency, evidence_failure_code,
    evidence_failure_reason, evidence_since, evidence_needs_ref
) values (
    @id, @environment_id, @provider_config_id, @provider_event_id, @type, @transaction_id, @provider_ref, @received_at, @processed_at,
    @kind, @lost_transaction_id, @key, @evidence_outcome, @evidence_ref, @evidence_amount, @evidence_currency,
    @evidence_failure_code, @evidence_failure_reason, @evidence_since, @evidence_needs_ref
)
on conflict (provider_config_id, provider_event_id) do nothing
returning id;

-- name: CallbackGetRef :one
-- The provider's references of the operation in unprocessed callbacks; unknown ones first.
select c.provider_ref
from provider_callbacks c
where c.environment_id = @environment_id and c.transaction_id = @transaction_id::text
  and c.provider_config_id = @provider_config_id and c.provider_ref <> '' and c.processed_at is null
order by c.provider_ref <> @known::text desc, c.received_at desc
limit 1;

-- name: CallbackListEvidence :many
-- The proof about a transaction in open messages: for a charge first that money moved, which nothing later takes back;
-- for a refund in order, since a bank may return one that went through.
select sqlc.embed(c)
from provider_callbacks c
where c.environment_id = @environment_id and c.transaction_id = @transaction_id::text
  and c.provider_config_id = @provider_config_id and c.processed_at is null and c.evidence_outcome is not null
  and (@named::boolean or not c.evidence_needs_ref)
order by @type::text = 'charge' and c.evidence_outcome = 'succeeded' desc, c.received_at, c.id
limit @row_limit;

-- name: CallbackListFailed :many
-- The operations that messages about a transaction said failed, followed or not.
select distinct c.evidence_ref::text
from provider_callbacks c
where c.environment_id = @environment_id and c.transaction_id = @transaction_id::text
  and c.provider_config_id = @provider_config_id and c.evidence_outcome in ('failed', 'declined', 'canceled')
  and c.evidence_ref is not null;

-- name: CallbackSetProcessed :exec
-- The reason was written into the transaction, or is worth nothing.
update provider_callbacks c
set processed_at = @processed_at, evidence_failure_reason = null
where c.environment_id = @environment_id and c.id = @id and c.processed_at is null;

-- name: CallbackMarkProcessed :exec
-- Also those that name the transaction only by the provider's reference, which we learned later. For the operations
-- that a look-up covered, those received before it began: later ones may have newer news. For the transaction's own
-- operation also those that say what it shows by now. Messages with a proof stay open where nothing could be asked: one
-- may have been stored since the transaction's evidence was read.
update provider_callbacks c
set processed_at = @processed_at, transaction_id = t.id
from transactions t
where t.environment_id = @environment_id and t.id = @transaction_id
  and c.environment_id = t.environment_id
  and (c.transaction_id = t.id
       or c.transaction_id is null and c.provider_ref <> '' and c.provider_ref = t.provider_ref
          and c.provider_config_id = t.provider_config_id)
  and c.processed_at is null
  and (@asked::boolean or c.evidence_outcome is null)
  and (c.received_at <= @received_before and c.provider_ref = any(@looked_at::text[])
       or c.kind = any(@shown::text[]) and (c.provider_ref = '' or c.provider_ref = t.provider_ref));
