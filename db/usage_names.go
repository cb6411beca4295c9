package db

import "perennial/db/usage"

// Callers know these of package usage by the name of db.

type (
	Correction    = usage.Correction
	MetricFilter  = usage.MetricFilter
	NewUsage      = usage.NewUsage
	RebuiltUsage  = usage.RebuiltUsage
	UsageCounted  = usage.Counted
	UsageCounting = usage.Counting
	UsageLog      = usage.Port
	UsageKey      = usage.Key
	UsageTaken    = usage.Taken
	UsageTouched  = usage.Touched
)

var ErrUsageBeingWritten = usage.ErrBeingWritten

const (
	UsageMonthsReady = usage.MonthsReady
)
