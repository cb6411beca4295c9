// Package audit holds the rules of the audit log: what an entry says about a call, which values it may show, and how
// entries are chained, so that one that is missing, changed or moved is found. It does no I/O.
// docs/adr/0060-audit-log.md has the argument.
package audit
