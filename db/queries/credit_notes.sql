-- name: CreditNoteNumber :one
-- Numbers are gapless: the counter stays locked until the transaction ends, so this is called last.
insert into credit_note_counters (environment_id, last_number) values (@environment_id, 1)
on conflict (environment_id) do update set last_number = credit_note_counters.last_number + 1
returning last_number;

-- name: CreditNoteInsert :exec
insert into credit_notes (
    id, environment_id, number, invoice_id, customer_id, subscription_id, currency, reason, memo, subtotal, tax, taxes, total, due,
    balance, refund, refund_id, taken_back_by, created_at
) values (
    @id, @environment_id, @number, @invoice_id, @customer_id, @subscription_id, @currency, @reason, @memo, @subtotal, @tax, @taxes,
    @total, @due, @balance, @refund, @refund_id, @taken_back_by, @created_at
);

-- name: CreditNoteLineInsert :exec
insert into credit_note_lines (environment_id, credit_note_id, position, invoice_line_id, amount)
values (@environment_id, @credit_note_id, @position, @invoice_line_id, @amount);

-- name: InvoiceLineCredit :exec
-- The bound is the table's.
with written as (
    update invoice_lines set credited = credited + @amount::bigint
    where environment_id = @environment_id and invoice_id = @invoice_id and id = @id
    returning 1
)
select 1 / count(*) from written;

-- name: InvoiceLineListReversing :many
-- The credits for unused time on lines, by invoices that are not void.
select l.reverses::text as line_id, sum(-l.amount + coalesce((
           select sum((d.share ->> 'amount')::bigint) from jsonb_array_elements(l.discounts) as d (share)), 0))::bigint as amount
from invoice_lines l
join invoices i on i.environment_id = l.environment_id and i.id = l.invoice_id and i.status <> 'void'
where l.environment_id = @environment_id and l.reverses = any(@line_ids::text[])
group by l.reverses
order by l.reverses;

-- name: InvoiceLineListUsed :many
-- The lines for usage of prices in segments that began at some times, of issued invoices that are not void, in the order
-- of issue.
select l.invoice_id, i.status, l.id, l.price_id::text as price_id, l.period_start, l.amount, l.credited, l.discounts
from invoices i
join invoice_lines l on l.environment_id = i.environment_id and l.invoice_id = i.id
where i.environment_id = @environment_id and i.subscription_id = @subscription_id
  and i.status in ('open', 'paid', 'uncollectible') and l.kind = 'usage'
  and l.price_id = any(@price_ids::text[]) and l.period_start = any(@starts::timestamptz[])
order by i.position, l.position;

-- name: CreditNoteListOfInvoice :many
-- Those that a person asked for: InvoiceLineListReversing has what decisions took back.
select sqlc.embed(n) from credit_notes n
where n.environment_id = @environment_id and n.invoice_id = @invoice_id and n.taken_back_by is null
order by n.number;

-- name: CreditNoteGet :one
-- With the parties of its invoice.
select sqlc.embed(n), i.seller, i.buyer, i.tax_exempt
from credit_notes n
join invoices i on i.environment_id = n.environment_id and i.id = n.invoice_id
where n.environment_id = @environment_id and n.id = @id;

-- name: CreditNoteGetWithKey :one
-- With the parties of its invoice.
select sqlc.embed(k), sqlc.embed(n), i.seller, i.buyer, i.tax_exempt
from api_key_details k
join credit_notes n on n.environment_id = k.environment_id and n.id = @id
join invoices i on i.environment_id = n.environment_id and i.id = n.invoice_id
where k.hash = @hash;

-- name: CreditNoteList :many
-- With the parties of their invoices.
select sqlc.embed(n), i.seller, i.buyer, i.tax_exempt
from credit_notes n
join invoices i on i.environment_id = n.environment_id and i.id = n.invoice_id
where n.environment_id = @environment_id
  and (sqlc.narg('customer_id')::text is null or n.customer_id = sqlc.narg('customer_id'))
  and (sqlc.narg('invoice_id')::text is null or n.invoice_id = sqlc.narg('invoice_id'))
  and n.position < @below::bigint and n.position > @above::bigint
order by case when @forward::boolean then n.position end, n.position desc
limit @row_limit;

-- name: CreditNoteLineList :many
select sqlc.embed(l)
from credit_note_lines l
where l.environment_id = @environment_id and l.credit_note_id = any(@credit_note_ids::text[])
order by l.credit_note_id, l.position;
