-- name: DecisionInsert :exec
insert into decisions (
    id, environment_id, transaction_id, callback_id, reason, provider_ref, outcome, note, actor_kind, actor_id, decided_at
) values (
    @id, @environment_id, @transaction_id, @callback_id, @reason, @provider_ref, @outcome, @note, @actor_kind, @actor_id, @decided_at
);

-- name: DecisionList :many
select sqlc.embed(d)
from decisions d
where d.environment_id = @environment_id and d.transaction_id = @transaction_id
order by d.id;

-- name: CallbackLockLost :one
-- One about a payment that the database does not have, while it is open.
select c.environment_id, c.id, c.lost_transaction_id::text as transaction_id, c.provider_config_id, c.provider_ref, c.type, c.received_at
from provider_callbacks c
where c.environment_id = @environment_id and c.id = @id
  and c.processed_at is null and c.transaction_id is null and c.lost_transaction_id is not null
for no key update;

-- name: CallbackClose :exec
-- With all others about the same lost payment.
update provider_callbacks c
set processed_at = @processed_at
where c.environment_id = @environment_id and c.lost_transaction_id = @lost_transaction_id::text
  and c.processed_at is null and c.transaction_id is null;

-- name: CallbackGetEnvironment :one
-- Global: an operator names a callback by its id.
select c.environment_id
from environments e
join provider_callbacks c on c.environment_id = e.id and c.id = @id;

-- name: TransactionGetEnvironment :one
-- Global: an operator names a payment by its id.
select t.environment_id
from environments e
join transactions t on t.environment_id = e.id and t.id = @id;
