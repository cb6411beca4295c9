-- name: PlanForTheseValues :exec
-- In this transaction statements are planned for the values that they have. One plan for any values, made while the tables
-- were empty, reads all that was imported for each batch.
select set_config('plan_cache_mode', 'force_custom_plan', true);

-- name: ImportedRecordInsertAll :exec
insert into imported_records (environment_id, source, type, external_id, object_id, customer_id, hash, imported_at)
select @environment_id, @source::text, @type::text, unnest(@external_ids::text[]), unnest(@object_ids::text[]), unnest(@customer_ids::text[]),
    unnest(@hashes::bytea[]), @imported_at::timestamptz;

-- name: SubscriptionItemInsertAll :exec
-- Of subscriptions that the same transaction inserts.
insert into subscription_items (environment_id, id, subscription_id, price_id, position, quantity, created_at)
select @environment_id, unnest(@ids::text[]), unnest(@subscription_ids::text[]), unnest(@price_ids::text[]),
    unnest(@positions::integer[]), unnest(@quantities::bigint[]), @created_at::timestamptz;

-- name: ImportedRecordList :many
select r.external_id, r.object_id, r.customer_id, r.hash
from imported_records r
where r.environment_id = @environment_id and r.source = @source and r.type = @type and r.external_id = any(@external_ids::text[]);

-- name: SubscriptionListIDs :many
-- Which of some ids are of subscriptions here.
select s.id from subscriptions s where s.environment_id = @environment_id and s.id = any(@ids::text[]);

-- name: CustomerListByID :many
select sqlc.embed(c) from customers c where c.environment_id = @environment_id and c.id = any(@ids::text[]);

-- name: SubscriptionCopy :copyfrom
-- The columns of SubscriptionInsert, for many at once: a statement each parses the table's check constraints each time.
-- The caller holds the customers' rows.
insert into subscriptions (
    id, environment_id, customer_id, plan_id, status, currency, time_zone, anchor_at, interval_unit, interval_count,
    trial_ends_at, current_period_start, current_period_end, next_period, paid_through, activated_at, pending_plan_id,
    cancel_at_period_end, cancel_reason, canceled_at, past_due_at, collecting_invoice_id, collection_paused_at, test_clock_id, metadata,
    next_action, next_action_at, finished_at, quantity, pending_quantity, period_index, renewed_index, renewed_from, trial_notice_at, reminded_for,
    discounts, proration_measure, unprorated_index, paid_elsewhere_index, pending_lines, collection_method, net_days, paused_at, resumes_at, pause_reason, created_at, updated_at,
    add_on_ids, add_on_quantities, pending_add_on_ids, pending_add_on_quantities, scheduled_changes, scheduled_plan_ids
) values (
    @id, @environment_id, @customer_id, @plan_id, @status, @currency, @time_zone, @anchor_at, @interval_unit, @interval_count,
    @trial_ends_at, @current_period_start, @current_period_end, @next_period, @paid_through, @activated_at, @pending_plan_id,
    @cancel_at_period_end, @cancel_reason, @canceled_at, @past_due_at, @collecting_invoice_id, @collection_paused_at, @test_clock_id, @metadata,
    @next_action, @next_action_at, @finished_at, @quantity, @pending_quantity, @period_index, @renewed_index, @renewed_from, @trial_notice_at, @reminded_for,
    @discounts, @proration_measure, @unprorated_index, @paid_elsewhere_index, @pending_lines, @collection_method, @net_days, @paused_at, @resumes_at, @pause_reason, @created_at, @updated_at,
    @add_on_ids, @add_on_quantities, @pending_add_on_ids, @pending_add_on_quantities, @scheduled_changes, @scheduled_plan_ids
);

-- name: CustomerLockByID :many
-- A share lock, in id order: none of them is erased until what refers to them is committed.
select sqlc.embed(c) from customers c
where c.environment_id = @environment_id and c.id = any(@ids::text[])
order by c.id
for share;

-- name: ImportedRecordForget :exec
-- The ids stay known by their SHA-256, with what makes them unique: what they brought is not imported again.
update imported_records set hash = null, external_id = 'erased:' || encode(sha256(convert_to(
    environment_id || chr(10) || source || chr(10) || type || chr(10) || external_id, 'UTF8')), 'hex')
where environment_id = @environment_id and customer_id = @customer_id and hash is not null;
