-- The reads of an export: whole tables of an environment, page by page, in one snapshot. Imported rows have their
-- external ids; others, and those of erased customers, have none.

-- name: CustomerExport :many
select sqlc.embed(c), coalesce(r.source, '') as source, coalesce(r.external_id, '') as external_id
from customers c
left join imported_records r on r.environment_id = c.environment_id and r.customer_id = c.id and r.object_id = c.id and r.type = 'customer' and r.hash is not null
where c.environment_id = @environment_id and c.erased_at is null and c.position > @after::bigint
order by c.position
limit @row_limit;

-- name: CreditBalanceExport :many
select c.position, b.customer_id, b.currency, b.balance, coalesce(r.source, '') as customer_source, coalesce(r.external_id, '') as customer_external_id
from credit_balances b
join customers c on c.environment_id = b.environment_id and c.id = b.customer_id and c.erased_at is null
left join imported_records r on r.environment_id = b.environment_id and r.customer_id = b.customer_id and r.object_id = b.customer_id and r.type = 'customer' and r.hash is not null
where c.environment_id = @environment_id and c.position >= @after_customer::bigint and (c.position, b.currency) > (@after_customer::bigint, @after_currency::text) and b.balance <> 0
order by c.position, b.currency
limit @row_limit;

-- name: CreditGrantExport :many
-- Those that can still be used: what became of the others is in the books.
select sqlc.embed(g), coalesce(r.source, '') as source, coalesce(r.external_id, '') as external_id,
    coalesce(k.source, '') as customer_source, coalesce(k.external_id, '') as customer_external_id
from credit_grants g
join customers c on c.environment_id = g.environment_id and c.id = g.customer_id and c.erased_at is null
left join imported_records r on r.environment_id = g.environment_id and r.customer_id = g.customer_id and r.object_id = g.id and r.type = 'credit_grant' and r.hash is not null
left join imported_records k on k.environment_id = g.environment_id and k.customer_id = g.customer_id and k.object_id = g.customer_id and k.type = 'customer' and k.hash is not null
where g.environment_id = @environment_id and g.position > @after::bigint and g.remaining > 0 and g.voided_at is null
  and (g.expires_at is null or g.test_clock_id is not null or g.expires_at > now())
order by g.position
limit @row_limit;

-- name: PaymentMethodExport :many
-- Those of a customer together, the default first, in the order in which an import writes them.
select sqlc.embed(m), c.position as customer_position, d.is_default,
    coalesce(r.source, '') as source, coalesce(r.external_id, '') as external_id,
    coalesce(k.source, '') as customer_source, coalesce(k.external_id, '') as customer_external_id
from customers c
join payment_methods m on m.environment_id = c.environment_id and m.customer_id = c.id and m.removed_at is null
cross join lateral (
    select (c.payment_method is not null and m.id = coalesce(c.payment_method_id, 'pm_' || substr(c.id, 6)))::boolean as is_default) d
left join imported_records r on r.environment_id = m.environment_id and r.customer_id = m.customer_id and r.object_id = m.id and r.type = 'payment_method' and r.hash is not null
left join imported_records k on k.environment_id = m.environment_id and k.customer_id = m.customer_id and k.object_id = m.customer_id and k.type = 'customer' and k.hash is not null
where c.environment_id = @environment_id and c.erased_at is null and c.position >= @after_customer::bigint
  and (c.position, not d.is_default, m.position) > (@after_customer::bigint, @after_other::boolean, @after::bigint)
order by c.position, not d.is_default, m.position
limit @row_limit;

-- name: WebhookEndpointExport :many
select sqlc.embed(w), coalesce(r.source, '') as source, coalesce(r.external_id, '') as external_id
from webhook_endpoints w
left join imported_records r on r.environment_id = w.environment_id and r.customer_id = '' and r.object_id = w.id and r.type = 'webhook_endpoint'
where w.environment_id = @environment_id and w.position > @after::bigint and w.deleted_at is null
order by w.position
limit @row_limit;

-- name: CreditNoteExport :many
select sqlc.embed(n) from credit_notes n
where n.environment_id = @environment_id and n.position > @after::bigint
order by n.position
limit @row_limit;

-- name: ProductExport :many
select sqlc.embed(p), coalesce(r.source, '') as source, coalesce(r.external_id, '') as external_id, coalesce(e.key, '') as catalog_key
from products p
left join imported_records r on r.environment_id = p.environment_id and r.customer_id = '' and r.object_id = p.id and r.type = 'product'
left join catalog_entries e on e.environment_id = p.environment_id and e.kind = 'product' and e.object_id = p.id
where p.environment_id = @environment_id and p.position > @after::bigint
order by p.position
limit @row_limit;

-- name: TaxRateExport :many
select sqlc.embed(t), coalesce(r.source, '') as source, coalesce(r.external_id, '') as external_id, coalesce(e.key, '') as catalog_key
from tax_rates t
left join imported_records r on r.environment_id = t.environment_id and r.customer_id = '' and r.object_id = t.id and r.type = 'tax_rate'
left join catalog_entries e on e.environment_id = t.environment_id and e.kind = 'tax_rate' and e.object_id = t.id
where t.environment_id = @environment_id and t.position > @after::bigint
order by t.position
limit @row_limit;

-- name: MetricExport :many
select sqlc.embed(m), coalesce(r.source, '') as source, coalesce(r.external_id, '') as external_id, coalesce(e.key, '') as catalog_key
from metrics m
left join imported_records r on r.environment_id = m.environment_id and r.customer_id = '' and r.object_id = m.metric_id and r.type = 'metric'
left join catalog_entries e on e.environment_id = m.environment_id and e.kind = 'metric' and e.object_id = m.metric_id
where m.environment_id = @environment_id and m.position > @after::bigint
order by m.position
limit @row_limit;

-- name: CouponExport :many
select sqlc.embed(c), coalesce(r.source, '') as source, coalesce(r.external_id, '') as external_id, coalesce(e.key, '') as catalog_key
from coupons c
left join imported_records r on r.environment_id = c.environment_id and r.customer_id = '' and r.object_id = c.id and r.type = 'coupon'
left join catalog_entries e on e.environment_id = c.environment_id and e.kind = 'coupon' and e.object_id = c.id
where c.environment_id = @environment_id and c.position > @after::bigint
order by c.position
limit @row_limit;

-- name: PlanExport :many
select sqlc.embed(p), coalesce(r.source, '') as source, coalesce(r.external_id, '') as external_id,
    coalesce(o.source, '') as product_source, coalesce(o.external_id, '') as product_external_id
from plans p
left join imported_records r on r.environment_id = p.environment_id and r.customer_id = '' and r.object_id = p.plan_id and r.type = 'plan'
left join imported_records o on o.environment_id = p.environment_id and o.customer_id = '' and o.object_id = p.product_id and o.type = 'product'
where p.environment_id = @environment_id and p.position > @after::bigint
order by p.position
limit @row_limit;

-- name: SubscriptionExport :many
select sqlc.embed(s), coalesce(r.source, '') as source, coalesce(r.external_id, '') as external_id,
    coalesce(k.source, '') as customer_source, coalesce(k.external_id, '') as customer_external_id,
    coalesce(m.source, '') as method_source, coalesce(m.external_id, '') as method_external_id
from subscriptions s
left join imported_records r on r.environment_id = s.environment_id and r.customer_id = s.customer_id and r.object_id = s.id and r.type = 'subscription' and r.hash is not null
left join imported_records k on k.environment_id = s.environment_id and k.customer_id = s.customer_id and k.object_id = s.customer_id and k.type = 'customer' and k.hash is not null
left join imported_records m on m.environment_id = s.environment_id and m.customer_id = s.customer_id and m.object_id = s.payment_method_id and m.type = 'payment_method' and m.hash is not null
where s.environment_id = @environment_id and s.position > @after::bigint
order by s.position
limit @row_limit;

-- name: InvoiceExport :many
select sqlc.embed(i) from invoices i
where i.environment_id = @environment_id and i.position > @after::bigint and not i.taken_back
order by i.position
limit @row_limit;

-- name: TransactionExport :many
select sqlc.embed(t) from transactions t
where t.environment_id = @environment_id and t.position > @after::bigint
order by t.position
limit @row_limit;
