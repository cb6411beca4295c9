// Package devstack owns the outside servers that Perennial needs on one machine: it finds or installs them, starts,
// stops and kills them. It does not own their contents (db, worker), nor which of them a command needs (cmd/perennial,
// internal/testkit).
package devstack
