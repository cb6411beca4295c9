-- name: InvoiceInsert :exec
-- Numbers are gapless, so the counter row stays locked until the transaction ends: this is sent together with the commit.
with counter as (
    update invoice_counters set last_number = last_number + 1
    where invoice_counters.environment_id = @environment_id
    returning last_number
), written as (
    insert into invoices (
        id, environment_id, number, number_text, seller, buyer, customer_id, subscription_id, status, reason, currency, discount, tax, taxes, tax_exempt, total, credit_applied, grants_used,
        brought_forward, carried_forward, amount_due, collection_method, net_days, due_at, amount_paid, period_index, period_start, period_end, phase, automatic_attempts, attempts, skipped_retries, retry_at, attempt_trigger, replaced_by,
        finalizes_at, issued_at, paid_at, voided_at, uncollectible_at, created_at
    )
    select
        @id, @environment_id, counter.last_number,
        case when e.invoice_number_prefix <> '' or e.invoice_number_digits > 0 then
            e.invoice_number_prefix || lpad(counter.last_number::text, greatest(e.invoice_number_digits, length(counter.last_number::text)), '0')
        end,
        e.seller,
        case when c.erased_at is null then jsonb_strip_nulls(jsonb_build_object(
            'name', c.name, 'email', c.email, 'country', c.country, 'region', c.region, 'taxIds', c.tax_ids)) end,
        @customer_id, @subscription_id, @status, @reason, @currency, @discount, @tax, @taxes, @tax_exempt, @total,
        @credit_applied, @grants_used, @brought_forward, @carried_forward, @amount_due, @collection_method, @net_days, @due_at, @amount_paid, @period_index::integer, @period_start, @period_end, @phase, @automatic_attempts, @attempts, @skipped_retries, @retry_at,
        @attempt_trigger, @replaced_by, @finalizes_at, @issued_at, @paid_at, @voided_at, @uncollectible_at,
        @created_at
    from counter
    join environments e on e.id = @environment_id
    join customers c on c.environment_id = @environment_id and c.id = @customer_id
    returning 1
)
select 1 / count(*) from written;

-- name: InvoiceLineInsert :exec
insert into invoice_lines (
    id, environment_id, invoice_id, position, kind, description, plan_id, price_id, item_id, period_index, quantity, unit_price,
    reverses, amount, tax_rates, discounts, period_start, period_end
) values (
    @id, @environment_id, @invoice_id, @position, @kind, @description, @plan_id, @price_id, @item_id, @period_index::integer,
    @quantity, @unit_price, @reverses, @amount, @tax_rates, @discounts, @period_start, @period_end
);

-- name: InvoiceUpdate :exec
with written as (
    update invoices
    set status = @status, credit_applied = @credit_applied, carried_forward = @carried_forward, credited = @credited,
        credited_tax = @credited_tax, credited_due = @credited_due, credited_refund = @credited_refund, amount_due = @amount_due, amount_paid = @amount_paid,
        phase = @phase, automatic_attempts = @automatic_attempts, attempts = @attempts, skipped_retries = @skipped_retries,
        retry_at = @retry_at,
        attempt_trigger = @attempt_trigger, replaced_by = @replaced_by,
        paid_at = @paid_at, voided_at = @voided_at, uncollectible_at = @uncollectible_at, overdue_at = @overdue_at
    where environment_id = @environment_id and id = @id
    returning 1
)
select 1 / count(*) from written;

-- name: InvoiceGet :one
select sqlc.embed(i) from invoices i where i.environment_id = @environment_id and i.id = @id;

-- name: InvoiceLock :one
select sqlc.embed(i) from invoices i where i.environment_id = @environment_id and i.id = @id for no key update;

-- name: InvoiceGetWithKey :one
select sqlc.embed(k), sqlc.embed(i)
from api_key_details k
join invoices i on i.environment_id = k.environment_id and i.id = @id
where k.hash = @hash;

-- name: InvoiceList :many
select sqlc.embed(i)
from invoices i
where i.environment_id = @environment_id
  and (sqlc.narg('customer_id')::text is null or i.customer_id = sqlc.narg('customer_id'))
  and (sqlc.narg('subscription_id')::text is null or i.subscription_id = sqlc.narg('subscription_id'))
  and (sqlc.narg('status')::text is null or i.status = sqlc.narg('status'))
  and i.position < @below::bigint and i.position > @above::bigint
order by case when @forward::boolean then i.position end, i.position desc
limit @row_limit;

-- name: InvoiceLockUnsettled :many
-- The open ones, oldest first, and then those that are drafts until their grace ends.
select sqlc.embed(i)
from invoices i
where i.environment_id = @environment_id and i.subscription_id = @subscription_id and i.status in ('open', 'draft')
order by i.number, i.finalizes_at, i.id
for no key update;

-- name: InvoiceListClosedForPeriod :many
-- Invoices since the schedule opened a period that were paid, marked uncollectible, or voided by a person.
select sqlc.embed(i)
from subscriptions s
join invoices i on i.environment_id = s.environment_id and i.subscription_id = s.id and i.period_index >= s.renewed_index
    and (i.status in ('paid', 'uncollectible') or i.status = 'void' and i.replaced_by is null)
where s.environment_id = @environment_id and s.id = @subscription_id
order by i.number;

-- name: InvoiceLineList :many
select sqlc.embed(l)
from invoice_lines l
where l.environment_id = @environment_id and l.invoice_id = any(@invoice_ids::text[])
order by l.invoice_id, l.position;

-- name: InvoiceLineListWithKey :many
select sqlc.embed(l)
from api_keys k
join invoice_lines l on l.environment_id = k.environment_id and l.invoice_id = @invoice_id
where k.hash = @hash
order by l.position;

-- name: InvoiceLineListOfSubscription :many
-- The lines of its open invoices, of its drafts and of those that InvoiceListClosedForPeriod lists. `offset 0` keeps each look-up of lines a
-- look-up by key: joined freely, and planned while the tables were small, it read all lines of all subscriptions.
select l.id, l.environment_id, l.invoice_id, l.position, l.kind, l.description, l.plan_id, l.price_id, l.amount,
       l.period_start, l.period_end, l.item_id, l.period_index, l.quantity, l.unit_price, l.reverses, l.tax_rates, l.discounts, l.credited
from (
    select o.id from invoices o
    where o.environment_id = @environment_id and o.subscription_id = @subscription_id and o.status in ('open', 'draft')
    union all
    select p.id
    from subscriptions s
    join invoices p on p.environment_id = s.environment_id and p.subscription_id = s.id and p.period_index >= s.renewed_index
        and (p.status in ('paid', 'uncollectible') or p.status = 'void' and p.replaced_by is null)
    where s.environment_id = @environment_id and s.id = @subscription_id
) i
cross join lateral (
    select n.id, n.environment_id, n.invoice_id, n.position, n.kind, n.description, n.plan_id, n.price_id, n.amount,
           n.period_start, n.period_end, n.item_id, n.period_index, n.quantity, n.unit_price, n.reverses, n.tax_rates, n.discounts, n.credited
    from invoice_lines n
    where n.environment_id = @environment_id and n.invoice_id = i.id
    offset 0
) l
order by l.invoice_id, l.position;
