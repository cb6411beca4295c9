package usecase

import (
	"perennial/billing/audit"
	"perennial/db"
)

// Deleted is the change by which an object ends.
var Deleted = audit.Change{Field: "deleted"}

// AuditDiffering adds the changes of a command without fields to the audit log, for the object that it names. before
// and after are structs whose fields have the names of the API's.
func AuditDiffering(tx *db.Tx, object string, before, after any) {
	tx.AuditAlso(audit.Changes(object, audit.Differing(before, after), before, after)...)
}
