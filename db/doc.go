// Package db owns the data in PostgreSQL: the schema, the queries, and the conversion between rows and domain types. It
// owns no rule: billing decides.
//
// Reads are methods of a Reader, which both a Store (each read in its own statement) and a Tx (inside its transaction)
// have. Writes exist only on a Tx, so a write outside a transaction does not compile. A transaction makes no network
// calls but its own.
//
// # Columns
//
// Reads and writes are in a package for each subject, a column, which Reader and Tx have a field for: tx.Invoices.Save.
// Columns share package core: connections, the queue, the commit, effects, the audit log's entry, pages and errors.
// Package db puts them together, and is the only one that others import. Idempotency keys, which are about no subject,
// are methods of Reader and Tx themselves.
//
// # Lock order
//
// Every transaction takes its row locks in this order, or two of them can deadlock:
//
// 1. customer, with its credit balances 2. subscription 3. invoice 4. transaction 5. invoice counter
//
// A transaction that moves credit, or decides by it, locks the customer's row first and alone: a balance that does not
// exist yet cannot be locked. Lifecycle.LockSubscription locks 1 to 4 in this order. The counter comes last by
// construction: Invoices.Insert only remembers the invoice, and the commit sends it. Coupons and webhook endpoints,
// which transactions of many customers lock, come right before it. A test clock is locked alone or before all of these.
//
// # Round trips
//
// A write is queued and sent together with the next read, or with the commit; the BEGIN travels with the first
// statement. So its error may surface at a later call, where it still carries the name of the query at fault. Reads
// that belong together are sent together (see core/together.go). A renewal costs two round trips.
//
// # Rows
//
// Whole rows are written by the statements of db/internal/rows, which take their columns from the schema. The two
// mappings of such a table are in one file, such as subscription_row.go. All other statements are in db/queries.
//
// # Times
//
// Tx.Now is the caller's time, virtual for customers on a test clock; Tx.Real is the wall clock's, which IDs, leases
// and retention need. Times come back in UTC, with the microseconds that PostgreSQL keeps.
package db
