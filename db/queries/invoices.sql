-- name: InvoiceGet :one
select sqlc.embed(i) from invoices i where i.environment_id = @environment_id and i.id = @id and not i.taken_back;

-- name: InvoiceLock :one
select sqlc.embed(i) from invoices i where i.environment_id = @environment_id and i.id = @id for no key update;

-- name: InvoiceGetWithKey :one
select sqlc.embed(k), sqlc.embed(i)
from api_key_details k
join invoices i on i.environment_id = k.environment_id and i.id = @id and not i.taken_back
where k.hash = @hash;

-- name: InvoiceList :many
select sqlc.embed(i)
from invoices i
where i.environment_id = @environment_id and not i.taken_back
  and (sqlc.narg('customer_id')::text is null or i.customer_id = sqlc.narg('customer_id'))
  and (sqlc.narg('subscription_id')::text is null or i.subscription_id = sqlc.narg('subscription_id'))
  and (sqlc.narg('status')::text is null or i.status = sqlc.narg('status'))
  and i.position < @below::bigint and i.position > @above::bigint
order by case when @forward::boolean then i.position end, i.position desc
limit @row_limit;

-- name: InvoiceLockUnsettled :many
-- The open ones, oldest first, and then drafts whose grace has not ended.
select sqlc.embed(i)
from invoices i
where i.environment_id = @environment_id and i.subscription_id = @subscription_id and i.status in ('open', 'draft')
order by i.number, i.finalizes_at, i.id
for no key update;

-- name: InvoiceListClosedForPeriod :many
-- Invoices since the schedule opened a period that were paid, marked uncollectible, or voided by a person; and behind
-- them, in the order of the decisions, the lines that were taken back.
select sqlc.embed(i)
from subscriptions s
join invoices i on i.environment_id = s.environment_id and i.subscription_id = s.id and i.period_index >= s.renewed_index
    and (i.status in ('paid', 'uncollectible') or i.status = 'void' and i.replaced_by is null)
where s.environment_id = @environment_id and s.id = @subscription_id
order by i.number, i.position;

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

-- name: InvoiceLineListHomes :many
-- The invoices of a subscription that bill some lines, but void ones.
select l.id, l.invoice_id
from invoices i
join invoice_lines l on l.environment_id = i.environment_id and l.invoice_id = i.id
where i.environment_id = @environment_id and i.subscription_id = @subscription_id and i.status not in ('draft', 'void')
  and not i.taken_back and l.id = any(@line_ids::text[]);

-- name: InvoiceLineListOfSubscription :many
-- The lines of its open invoices, of its drafts and of those that InvoiceListClosedForPeriod lists. `offset 0` keeps each look-up of lines a
-- look-up by key: joined freely, and planned while the tables were small, it read all lines of all subscriptions.
select l.*
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
    select n.*
    from invoice_lines n
    where n.environment_id = @environment_id and n.invoice_id = i.id
    offset 0
) l
order by l.invoice_id, l.position;

-- name: InvoiceGetEnvironment :one
-- Global: an operator names an invoice by its id.
select i.environment_id
from environments e
join invoices i on i.environment_id = e.id and i.id = @id;

-- name: InvoiceGetHosted :one
-- What the page of an issued invoice needs, and the key of its link.
select sqlc.embed(i), e.link_key, e.invoice_link_days, e.time_zone
from invoices i
join environments e on e.id = i.environment_id
where i.environment_id = @environment_id and i.id = @id and i.status <> 'draft' and not i.taken_back;

-- name: InvoiceRenewLink :exec
with written as (
    update invoices set link_revision = link_revision + 1
    where environment_id = @environment_id and id = @id and status <> 'draft'
    returning 1
)
select 1 / count(*) from written;
