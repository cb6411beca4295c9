-- name: CommandInsert :exec
insert into commands (environment_id, id, subscription_id, name, outcome, created_at)
values (@environment_id, @id, @subscription_id, @name, @outcome, @created_at);

-- name: CommandGetOutcome :one
select c.outcome from commands c where c.environment_id = @environment_id and c.id = @id;

-- name: CommandTextInsert :exec
-- A repeat of the request brings the same text under the same command id. Of a customer who is erased nothing is kept.
insert into command_texts (environment_id, command_id, customer_id, text, created_at)
select @environment_id, @command_id, @customer_id, @text, @created_at
from customers c
where c.environment_id = @environment_id and c.id = @customer_id and c.erased_at is null
for share of c
on conflict do nothing;

-- name: CommandTextGet :one
select t.text from command_texts t where t.environment_id = @environment_id and t.command_id = @command_id;

-- name: CommandPurge :one
-- In portions, so that no purge holds its locks for long.
with texts as (
    delete from command_texts
    where (environment_id, command_id) in (
        select t.environment_id, t.command_id from command_texts t where t.created_at < @before order by t.created_at limit @row_limit)
), purged as (
    delete from commands
    where (environment_id, id) in (
        select c.environment_id, c.id from commands c where c.created_at < @before order by c.created_at limit @row_limit)
    returning 1
)
select count(*)::integer as purged from purged;
