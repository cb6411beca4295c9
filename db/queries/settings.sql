-- name: EnvironmentLockSettings :one
select sqlc.embed(e) from environments e where e.id = @environment_id for no key update;

-- name: EnvironmentUpdateSettings :exec
with written as (
    update environments set past_due_billing = @past_due_billing, dunning = @dunning, renewal_reminder_days = @renewal_reminder_days,
        invoice_number_prefix = @invoice_number_prefix, invoice_number_digits = @invoice_number_digits, seller = @seller,
        proration_measure = @proration_measure, invoice_grace_minutes = @invoice_grace_minutes, invoice_link_days = @invoice_link_days,
        overdue_policy = @overdue_policy,
        overdue_sweep = case when @sweeps::boolean then '' else overdue_sweep end
    where id = @environment_id
    returning 1
)
select 1 / count(*) from written;

-- name: SettingChangeInsert :exec
insert into setting_changes (id, environment_id, plan_id, field, before, after, actor_kind, actor_id, changed_at)
values (@id, @environment_id, @plan_id, @field, @before, @after, @actor_kind, @actor_id, @changed_at);
