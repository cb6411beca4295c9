package db

import "perennial/db/templates"

// Callers know these of package templates by the name of db.

type (
	InvoiceTemplate = templates.Stored
	TemplateFailure = templates.Failure
)
