// Package audit holds the rules of the audit log: the contents of an entry, the values that it may show, and the chain
// of entries that reveals one that is missing, changed or moved. It does no I/O. docs/adr/0060-audit-log.md has the
// argument.
package audit
