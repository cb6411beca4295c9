package rows

// CustomerInsert writes a new one.
var CustomerInsert = customers.insert("CustomerInsert", customers.but(
	"position", "revision", "erased_at", "usage_salt", "overdue", "overdue_due_at"))

// CustomerUpdate writes the columns that may change. The revision is the one that the caller read under lock: a stale
// one changes nothing, which the caller learns.
var CustomerUpdate = customers.update("CustomerUpdate", ofRevision+" and erased_at is null",
	customers.but(
		"id", "environment_id", "test_clock_id", "created_at", "position", // never change
		"erased_at", "usage_salt", "overdue", "overdue_due_at", // have writers of their own
	),
	computed{"revision": "revision + 1"})
