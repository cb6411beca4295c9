package rows

// newSubscription are the columns of a new subscription. The others begin with their defaults and have separate
// writers.
var newSubscription = subscriptions.but("position", "revision", "event_sequence", "started_epoch", "wake_pending_since")

// SubscriptionInsert writes a new subscription, and nothing for a customer who has been erased. The foreign key alone
// would allow it during an erasure: it locks the customer's key only, which an erasure does not change. The lock waits
// for an erasure that is under way, keeps a later one waiting until this is committed, and writes nothing for an erased
// customer. It is the lock of decisions, since one may follow in the same transaction: two that share a lock and then
// want it alone would wait for each other.
var SubscriptionInsert = subscriptions.statement("SubscriptionInsert", `
with written as (
    insert into subscriptions ({columns})
    select {values}
    from customers c
    where c.environment_id = @environment_id and c.id = @customer_id and c.erased_at is null
    for no key update of c
    returning 1
)
select 1 / count(*) from written`, newSubscription, nil)

// SubscriptionCopy writes many new ones, of customers whose rows the caller holds: a statement each would parse the
// table's check constraints each time.
var SubscriptionCopy = subscriptions.copying(newSubscription)

// SubscriptionUpdate writes the columns that may change. The revision is the one that the caller read under lock: a
// stale one changes nothing, which the caller learns. It sets the mark of a pending wake-up where the same transaction
// does: a separate update would write all indexes once more.
var SubscriptionUpdate = subscriptions.update("SubscriptionUpdate", ofRevision,
	subscriptions.but(
		// never change
		"id", "environment_id", "customer_id", "currency", "time_zone", "test_clock_id", "created_at", "position",
		"event_sequence", "started_epoch", // have writers of their own
	),
	computed{
		"revision":           "revision + 1",
		"wake_pending_since": "coalesce(wake_pending_since, @wake_pending_since)",
	})
