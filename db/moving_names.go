package db

import "perennial/db/moving"

// Callers know these of package moving by the name of db.

type (
	ExportedSubscription = moving.ExportedSubscription
	ImportedRecord       = moving.ImportedRecord
	Snapshot             = moving.Snapshot
	SoldPlan             = moving.SoldPlan
)

// Sold is moving.Sold.
type Sold[T any] = moving.Sold[T]
