package tenancy

import (
	"perennial/billing/dunning"
	"perennial/billing/overdue"
	"perennial/billing/retry"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// dunningOf is the policy of an environment: its own columns say where it has none as a whole.
func dunningOf(row dbsqlc.Environment) dunning.Policy {
	if p := core.DunningFromDB(row.Dunning); p != nil {
		return *p
	}
	p := dunning.Policy{Retry: retry.Policy{
		Base: core.Seconds(row.RetryBaseSeconds), Factor: row.RetryFactor, Retries: row.RetryCount,
		MaxJitter: core.Seconds(row.RetryJitterSeconds),
	}}
	p.CancelAfter(core.Value(row.PastDueCancelAfterDays))
	return p
}

// overdueToDB writes the policy of an environment; one without states is null.
func overdueToDB(p overdue.Policy) []byte {
	if p.IsZero() {
		return nil
	}
	return core.OverdueToDB(&p)
}
