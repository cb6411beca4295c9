-- name: SendInsert :exec
insert into payment_sends (environment_id, transaction_id, number, provider_config_id, provider, key, reason, sent_at)
values (@environment_id, @transaction_id, @number, @provider_config_id, @provider, @key, @reason, @sent_at);

-- name: SendUpdate :exec
-- The provider's last answer. An answer that says nothing, or finds nothing, does not replace an earlier one that said
-- something.
update payment_sends s
set provider_ref = coalesce(sqlc.narg('provider_ref'), s.provider_ref),
    outcome = case
        when @outcome::text = 'unknown' or @outcome::text = 'not_found' and s.outcome <> 'unknown' then coalesce(s.outcome, @outcome::text)
        else @outcome::text
    end,
    answered_at = @answered_at::timestamptz
where s.environment_id = @environment_id and s.transaction_id = @transaction_id and s.number = @number;

-- name: SendList :many
select sqlc.embed(s)
from payment_sends s
where s.environment_id = @environment_id and s.transaction_id = @transaction_id
order by s.number;

-- name: SendGetTransaction :one
-- Of the send that a message names by our key, or by the provider's reference.
select s.transaction_id
from payment_sends s
where s.environment_id = @environment_id and s.provider_config_id = @provider_config_id
  and (s.key = @key::text and @key::text <> '' or s.provider_ref = @provider_ref::text and @provider_ref::text <> '')
order by s.key = @key::text desc, s.number desc
limit 1;

-- name: CallbackGetElsewhere :one
-- An open message from another provider configuration than the transaction's: about an earlier send.
select c.id, c.provider_config_id, c.provider_ref, c.key
from provider_callbacks c
where c.environment_id = @environment_id and c.transaction_id = @transaction_id::text and c.processed_at is null
  and c.provider_config_id <> @provider_config_id::text
order by c.received_at, c.id
limit 1;

-- name: CallbackTells :one
-- Whether an open message names the operation of a transaction at its provider, or proves its outcome.
select exists (
    select from provider_callbacks c
    where c.environment_id = @environment_id and c.transaction_id = @transaction_id::text and c.processed_at is null
      and (c.provider_ref <> '' or c.evidence_outcome is not null)
);

-- name: CallbackMarkElsewhere :exec
update provider_callbacks c
set processed_at = @processed_at, evidence_failure_reason = null
where c.environment_id = @environment_id and c.transaction_id = @transaction_id::text and c.processed_at is null
  and c.provider_config_id = @provider_config_id and c.received_at <= @received_before
  and (@asked::boolean or c.evidence_outcome is null);
