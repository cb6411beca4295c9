-- name: CommandInsert :exec
insert into commands (environment_id, id, subscription_id, name, outcome, created_at)
values (@environment_id, @id, @subscription_id, @name, @outcome, @created_at);

-- name: CommandGetOutcome :one
select c.outcome from commands c where c.environment_id = @environment_id and c.id = @id;

-- name: CommandPurge :one
-- In portions, so that no purge holds its locks for long.
with purged as (
    delete from commands
    where (environment_id, id) in (
        select c.environment_id, c.id from commands c where c.created_at < @before order by c.created_at limit @row_limit)
    returning 1
)
select count(*)::integer as purged from purged;
