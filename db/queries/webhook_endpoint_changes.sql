-- name: WebhookEndpointChangeInsert :exec
insert into webhook_endpoint_changes (id, environment_id, endpoint_id, action, fields, reason, actor_kind, actor_id, changed_at)
values (@id, @environment_id, @endpoint_id, @action, @fields, sqlc.narg('reason'), @actor_kind, @actor_id, @changed_at);

-- name: WebhookEndpointChangeList :many
select c.action, c.fields, c.reason, c.actor_kind, c.actor_id, c.changed_at
from webhook_endpoint_changes c
where c.environment_id = @environment_id and c.endpoint_id = @endpoint_id
order by c.id;
