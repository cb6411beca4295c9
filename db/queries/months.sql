-- name: MonthInvoiceList :many
-- Invoices by one movement: issued, voided or uncollectible. A list is planned with its parameters, so that the case is
-- one column with its index.
select m.id, m.number, m.number_text, m.customer_id, m.currency, m.total, m.tax, m.taxes, m.tax_exempt, m.amount_due, m.credited,
    m.credited_due, m.country, m.untaxed, m.at
from (
    select i.*, coalesce(i.buyer ->> 'country', i.erased_country, '')::text as country,
        case when i.taxes is null then i.total else coalesce((
            select sum(l.amount - coalesce((
                select sum((d.share ->> 'amount')::bigint) from jsonb_array_elements(l.discounts) as d (share)), 0))
            from invoice_lines l
            where l.environment_id = i.environment_id and l.invoice_id = i.id and l.tax_rates is null), 0) end::bigint as untaxed,
        (case @movement::text when 'issued' then i.issued_at when 'voided' then i.voided_at else i.uncollectible_at end)::timestamptz as at
    from invoices i
    where i.environment_id = @environment_id and i.number is not null
) m
where m.at is not null and (m.at, m.id) > (@above_at::timestamptz, @above_id::text) and (m.at, m.id) < (@below_at::timestamptz, @below_id::text)
order by case when @forward::boolean then m.at end, case when @forward then m.id end, m.at desc, m.id desc
limit @row_limit;

-- name: MonthNoteList :many
select n.id, n.number, n.invoice_id, n.customer_id, n.currency, n.reason, n.tax, n.taxes, n.total, n.due, n.balance, n.refund,
    i.tax_exempt, coalesce(i.buyer ->> 'country', i.erased_country, '')::text as country,
    coalesce((
        select sum(g.amount)
        from credit_note_lines g
        join invoice_lines l on l.environment_id = g.environment_id and l.invoice_id = n.invoice_id and l.id = g.invoice_line_id
        where g.environment_id = n.environment_id and g.credit_note_id = n.id and l.tax_rates is null), 0)::bigint as untaxed,
    n.created_at as at
from credit_notes n
join invoices i on i.environment_id = n.environment_id and i.id = n.invoice_id
where n.environment_id = @environment_id
  and (n.created_at, n.id) > (@above_at::timestamptz, @above_id::text) and (n.created_at, n.id) < (@below_at::timestamptz, @below_id::text)
order by case when @forward::boolean then n.created_at end, case when @forward then n.id end, n.created_at desc, n.id desc
limit @row_limit;

-- name: MonthNoteListOf :many
-- The credit notes of some invoices up to one of their movements, voided or uncollectible. Later ones count in their own
-- month alone: an invoice that was given up can still be paid, and then credited.
select n.invoice_id, n.tax, n.taxes, n.total,
    coalesce((
        select sum(g.amount)
        from credit_note_lines g
        join invoice_lines l on l.environment_id = g.environment_id and l.invoice_id = n.invoice_id and l.id = g.invoice_line_id
        where g.environment_id = n.environment_id and g.credit_note_id = n.id and l.tax_rates is null), 0)::bigint as untaxed
from credit_notes n
join invoices i on i.environment_id = n.environment_id and i.id = n.invoice_id
where n.environment_id = @environment_id and n.invoice_id = any(@invoice_ids::text[])
  and n.created_at <= (case @movement::text when 'voided' then i.voided_at else i.uncollectible_at end)::timestamptz
order by n.invoice_id, n.number;

-- name: MonthPaymentList :many
-- Money by one movement: collected, refunded or returned. As for MonthInvoiceList.
select m.id, m.type, m.status, m.customer_id, m.invoice_id, m.charge_id, m.provider, m.provider_ref, m.currency, m.amount, m.at
from (
    select t.*,
        (case @movement::text when 'returned' then t.returned_at else booked_at(t.provider, t.created_at, t.completed_at) end)::timestamptz as at
    from transactions t
    where t.environment_id = @environment_id and t.status in ('success', 'refunded')
      and t.type = case @movement when 'collected' then 'charge' else 'refund' end
) m
where m.at is not null and (m.at, m.id) > (@above_at::timestamptz, @above_id::text) and (m.at, m.id) < (@below_at::timestamptz, @below_id::text)
order by case when @forward::boolean then m.at end, case when @forward then m.id end, m.at desc, m.id desc
limit @row_limit;

-- name: MonthSettlementList :many
-- Payments of invoices. written_off: the invoice had been given up.
select s.invoice_id, s.settled_at as at, s.amount, i.currency,
    coalesce(i.uncollectible_at <= s.settled_at, false)::boolean as written_off
from settlements s
join invoices i on i.environment_id = s.environment_id and i.id = s.invoice_id
where s.environment_id = @environment_id
  and (s.settled_at, s.invoice_id) > (@above_at::timestamptz, @above_id::text) and s.settled_at < @below_at::timestamptz
order by s.settled_at, s.invoice_id
limit @row_limit;

-- name: MonthEntryList :many
select e.id, e.customer_id, e.invoice_id, e.currency, e.reason, e.amount, e.created_at as at
from credit_entries e
where e.environment_id = @environment_id
  and (e.created_at, e.id) > (@above_at::timestamptz, @above_id::text) and e.created_at < @below_at::timestamptz
order by e.created_at, e.id
limit @row_limit;

-- name: MonthReceivableSum :many
-- The amounts that the invoices which were open at a moment asked for then. Those of today, and of those that were settled,
-- voided or given up since: plus what credit notes took off since, and what these carried forward.
select r.currency::text as currency, sum(r.due)::bigint as amount
from (
    select i.currency, i.amount_due as due
    from invoices i
    where i.environment_id = @environment_id and i.status = 'open' and i.issued_at < @at::timestamptz
    union all
    select i.currency, s.amount
    from settlements s
    join invoices i on i.environment_id = s.environment_id and i.id = s.invoice_id
    where s.environment_id = @environment_id and s.settled_at >= @at and i.issued_at < @at
      and (i.uncollectible_at is null or i.uncollectible_at >= @at)
    union all
    select i.currency, i.amount_due
    from invoices i
    where i.environment_id = @environment_id and i.voided_at >= @at and i.issued_at < @at
    union all
    select i.currency, i.amount_due
    from invoices i
    where i.environment_id = @environment_id and i.uncollectible_at >= @at and i.issued_at < @at and i.status = 'uncollectible'
    union all
    select n.currency, n.due
    from credit_notes n
    join invoices i on i.environment_id = n.environment_id and i.id = n.invoice_id
    where n.environment_id = @environment_id and n.created_at >= @at and i.issued_at < @at
    union all
    select e.currency, -e.amount
    from credit_entries e
    join invoices i on i.environment_id = e.environment_id and i.id = e.invoice_id
    where e.environment_id = @environment_id and e.created_at >= @at and e.reason = 'carried_forward' and e.amount < 0
      and i.issued_at < @at
) r
group by r.currency
order by r.currency;

-- name: MonthCreditSum :many
-- The credit of all customers at a moment: that of today, less what moved since.
select r.currency::text as currency, sum(r.amount)::bigint as amount
from (
    select b.currency, b.balance + b.granted as amount
    from credit_balances b
    where b.environment_id = @environment_id and (b.balance <> 0 or b.granted <> 0)
    union all
    select e.currency, -e.amount
    from credit_entries e
    where e.environment_id = @environment_id and e.created_at >= @at::timestamptz
) r
group by r.currency
order by r.currency;

-- name: MonthCursorGet :one
-- The moment at which the row of a cursor counts by a movement.
select c.at::timestamptz as at
from (
    select case @movement::text
        when 'issued' then i.issued_at when 'voided' then i.voided_at when 'uncollectible' then i.uncollectible_at end as at
    from invoices i where i.environment_id = @environment_id and i.id = @id::text
    union all
    select n.created_at from credit_notes n where n.environment_id = @environment_id and n.id = @id and @movement = 'noted'
    union all
    select case when @movement = 'returned' then t.returned_at
        when @movement = 'collected' and t.type = 'charge' or @movement = 'refunded' and t.type = 'refund'
        then booked_at(t.provider, t.created_at, t.completed_at) end
    from transactions t
    where t.environment_id = @environment_id and t.id = @id and t.status in ('success', 'refunded')
) c
where c.at is not null;
