package rows

import "slices"

// The columns of an invoice that are empty before it has its number, and change only then or later.
var issued = []string{
	"number", "number_text", "seller", "buyer", "status", "credit_applied", "grants_used", "brought_forward",
	"carried_forward", "credited", "credited_tax", "credited_due", "credited_refund", "amount_paid", "phase",
	"automatic_attempts", "attempts", "skipped_retries", "retry_at", "attempt_trigger", "due_at", "overdue_at",
	"replaced_by", "issued_at", "paid_at", "voided_at", "uncollectible_at",
}

// elsewhere are the columns that no statement here writes: the database gives the position, and a new link has a
// statement of its own.
var elsewhere = []string{"position", "link_revision"}

// draft are the columns of a draft: all but those of an issued invoice.
var draft = invoices.but(slices.Concat(elsewhere, issued)...)

// identity never changes, or elsewhere.
var identity = []string{
	"id", "environment_id", "customer_id", "subscription_id", "test_clock_id", "reason", "currency", "created_at",
	"position", "link_revision",
}

// Numbers are gapless, so the counter's row stays locked until the transaction ends: what takes a number is sent
// together with the commit, or last.
const counter = `
with counter as (
    update invoice_counters set last_number = last_number + 1
    where invoice_counters.environment_id = @environment_id
    returning last_number
)`

// numbered returns the columns that an invoice gets with its number, from counter, its environment e and its customer
// c.
func numbered() computed {
	return computed{
		"number": "counter.last_number",
		"number_text": `
        case when e.invoice_number_prefix <> '' or e.invoice_number_digits > 0 then
            e.invoice_number_prefix || lpad(counter.last_number::text, greatest(e.invoice_number_digits, length(counter.last_number::text)), '0')
        end`,
		"seller": "e.seller",
		"buyer": `
        case when c.erased_at is null then jsonb_strip_nulls(jsonb_build_object(
            'name', c.name, 'email', c.email, 'phone', c.phone, 'address', c.address, 'country', c.country,
            'region', c.region, 'locale', c.locale, 'timeZone', c.time_zone, 'taxIds', c.tax_ids)) end`,
	}
}

// InvoiceInsert issues an invoice that was no draft.
var InvoiceInsert = invoices.statement("InvoiceInsert", counter+`, written as (
    insert into invoices ({columns})
    select {values}
    from counter
    join environments e on e.id = @environment_id
    join customers c on c.environment_id = @environment_id and c.id = @customer_id
    returning 1
)
select 1 / count(*) from written`, invoices.but(elsewhere...), numbered())

// InvoiceTakenBackInsert writes lines that were taken back, which have no number.
var InvoiceTakenBackInsert = invoices.insert("InvoiceTakenBackInsert",
	invoices.but(append(slices.Clone(elsewhere), "number", "number_text", "seller", "buyer")...))

// InvoiceUpdate writes the columns of an issued invoice that may change. It names them, so that a new column of
// invoices is not among them.
var InvoiceUpdate = invoices.update("InvoiceUpdate", "environment_id = @environment_id and id = @id",
	invoices.only(
		"status", "credit_applied", "carried_forward", "credited", "credited_tax", "credited_due", "credited_refund",
		"amount_due", "amount_paid", "phase", "automatic_attempts", "attempts", "skipped_retries", "retry_at",
		"attempt_trigger", "replaced_by", "paid_at", "voided_at", "uncollectible_at", "overdue_at",
	), nil)

// InvoiceDraftInsert writes a new draft.
var InvoiceDraftInsert = invoices.statement("InvoiceDraftInsert", `
insert into invoices ({columns}, status, phase, credit_applied, amount_paid, automatic_attempts, attempts)
values ({values}, 'draft', 'waiting', 0, 0, 0, 0)`, draft, nil)

// InvoiceDraftUpdate replaces the contents of a draft.
var InvoiceDraftUpdate = invoices.update("InvoiceDraftUpdate",
	"environment_id = @environment_id and id = @id and status = 'draft'",
	invoices.but(slices.Concat(identity, issued)...), nil)

// InvoiceFinalize makes a draft an invoice, and returns its number, seller and buyer. The counter's row stays locked
// until the transaction ends, so this is called last, after all other rows are locked.
var InvoiceFinalize = invoices.statement("InvoiceFinalize", counter+`
update invoices i
set {assignments}
from counter, environments e, customers c
where i.environment_id = @environment_id and i.id = @id and i.status = 'draft' and e.id = i.environment_id
  and c.environment_id = i.environment_id and c.id = i.customer_id
returning i.number, i.number_text, i.seller, i.buyer`,
	invoices.but(slices.Concat(identity, []string{
		"period_index", "memo", "metadata", // as the draft has them
		"credited", "credited_tax", "credited_due", "credited_refund", "replaced_by", "voided_at", // later
	})...), numbered())

// InvoiceLineInsert writes a line. The credits of credit notes on it have a separate writer.
var InvoiceLineInsert = invoiceLines.insert("InvoiceLineInsert", invoiceLines.but("credited"))
