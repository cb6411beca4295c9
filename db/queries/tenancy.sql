-- name: TenantInsert :exec
insert into tenants (id, name, created_at) values (@id, @name, @created_at);

-- name: AppInsert :exec
insert into apps (id, tenant_id, name, keyset, created_at) values (@id, @tenant_id, @name, @keyset, @created_at);

-- name: AppGet :one
select sqlc.embed(a) from apps a where a.id = @id;

-- name: AppList :many
select sqlc.embed(a)
from apps a
where a.tenant_id = @tenant_id
  and a.position < @below::bigint and a.position > @above::bigint
-- Planned with its parameters known, the case disappears and one direction of the index is left.
order by case when @forward::boolean then a.position end, a.position desc
limit @row_limit;

-- name: EnvironmentInsert :exec
-- The invoice counter is born with its environment, so that numbering only ever updates it.
with counter as (
    insert into invoice_counters (environment_id, last_number) values (@id, 0)
)
insert into environments (
    id, app_id, mode, time_zone, retry_base_seconds, retry_factor, retry_count, retry_jitter_seconds, past_due_billing,
    past_due_cancel_after_days, renewal_reminder_days, dunning, invoice_number_prefix, invoice_number_digits, seller,
    proration_measure, invoice_grace_minutes, invoice_link_days, overdue_policy, created_at
) values (
    @id, @app_id, @mode, @time_zone, @retry_base_seconds, @retry_factor, @retry_count, @retry_jitter_seconds,
    @past_due_billing, @past_due_cancel_after_days, @renewal_reminder_days, @dunning, @invoice_number_prefix,
    @invoice_number_digits, @seller, @proration_measure, @invoice_grace_minutes, @invoice_link_days,
    @overdue_policy, @created_at
);

-- name: EnvironmentGet :one
select sqlc.embed(e), a.tenant_id
from environments e
join apps a on a.id = e.app_id
where e.id = @environment_id;
