-- name: UsagePageGet :one
select p.counted_to, p.state
from usage_pages p
where p.environment_id = @environment_id and p.subscription_id = @subscription_id and p.question = @question;

-- name: UsagePageSave :exec
insert into usage_pages (environment_id, subscription_id, question, counted_to, state)
values (@environment_id, @subscription_id, @question, @counted_to, @state)
on conflict (environment_id, subscription_id, question) do update
set counted_to = excluded.counted_to, state = excluded.state, kept_at = excluded.kept_at;

-- name: UsagePagesDelete :exec
delete from usage_pages p where p.environment_id = @environment_id and p.subscription_id = @subscription_id;

-- name: UsagePagesPurge :exec
-- Global: retention. Removes pages of invoices whose rating was abandoned.
delete from usage_pages p where p.kept_at < clock_timestamp() - make_interval(days => @days::integer);
