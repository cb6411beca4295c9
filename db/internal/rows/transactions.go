package rows

// TransactionInsert writes an intent to move money.
var TransactionInsert = transactions.insert("TransactionInsert",
	transactions.but(
		// of the database and of other writers
		"position", "revision", "started_epoch", "wake_pending_since", "created_virtually",
		// The later history of a transaction. One that recovers another is a copy without these columns.
		"refund_owed_at", "held_at", "held_revision", "held_by_stop", "confirm_token", "action_url", "action_expires_at",
		"action_returned_at", "action_brought", "action_handed_at", "action_apart_send", "unsent_at", "unanswered_at",
		"unanswered_since",
	))

// TransactionUpdate writes the columns that may change; those of the request never do. The trigger guard_transaction
// refuses an illegal status.
var TransactionUpdate = transactions.update("TransactionUpdate", ofRevision,
	transactions.but(
		"id", "environment_id", "type", "customer_id", "subscription_id", "invoice_id", "amount", "currency", "description",
		"attempt_number", "trigger", "charge_id", "recovered_from", "due_at", "created_at", "position", "created_virtually",
		"payment_method_id",
		"started_epoch", "wake_pending_since", // have writers of their own
	),
	computed{
		"refund_owed_at": "case when @refund_owed::bigint > 0 then coalesce(refund_owed_at, clock_timestamp()) end",
		"revision":       "revision + 1",
	})
