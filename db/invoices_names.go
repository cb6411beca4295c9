package db

import "perennial/db/invoices"

// Callers know these of package invoices by the name of db.

type (
	CreditNoteFilter = invoices.CreditNoteFilter
	DueInvoice       = invoices.DueInvoice
	InvoiceFilter    = invoices.InvoiceFilter
	MonthCursor      = invoices.MonthCursor
	MonthFilter      = invoices.MonthFilter
)
