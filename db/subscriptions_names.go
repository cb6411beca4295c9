package db

import "perennial/db/subscriptions"

// Callers know these of package subscriptions by the name of db.

type (
	MethodUse          = subscriptions.MethodUse
	SubscriptionFilter = subscriptions.SubscriptionFilter
)
