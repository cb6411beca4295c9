package usage

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/usage"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// usageMark is the last record that an erasure has handled.
type usageMark struct {
	SubscriptionID string    `json:"subscriptionId,omitempty"`
	MetricID       string    `json:"metricId,omitempty"`
	At             time.Time `json:"at,omitzero"`
	ID             string    `json:"id,omitempty"`
	Done           bool      `json:"done,omitempty"` // all records
}

// errUsageNotMerged delays an erasure while another process merges the customer's usage.
var errUsageNotMerged = errors.New("db: the customer's usage is being merged; its properties are erased afterwards")

const (
	usageEraseBatch = 20_000 // records of one transaction of an erasure
	usageEraseMerge = 5_000  // merged records of one, for a version
)

// Erase removes the properties of a customer's next records, and reports whether there may be more. Quantities and
// aggregates stay, as invoices do, so it merges the records first. It fails while another process merges them, which
// takes a moment.
func (tx *Tx) Erase(
	ctx context.Context, environmentID, customerID, after string,
) (next string, more bool, err error) {
	var mark usageMark
	if after != "" {
		if err := json.Unmarshal([]byte(after), &mark); err != nil || mark.Done {
			return after, false, err
		}
	} else if merged, err := tx.mergeErased(ctx, environmentID, customerID); err != nil || merged {
		return after, merged, err
	}
	if mark, err = tx.eraseUsage(ctx, environmentID, customerID, mark); err != nil {
		return after, false, err
	}
	text, err := json.Marshal(mark)
	return string(text), !mark.Done, err
}

// EraseSalt deletes the salt for hashing keys in the aggregates of a customer's usage. It is the last step: later
// merges would hash in another way.
func (tx *Tx) EraseSalt(ctx context.Context, environmentID, customerID string) error {
	return core.Queries.UsageEraseSalt(ctx, tx.Pipe,
		dbsqlc.UsageEraseSaltParams{EnvironmentID: environmentID, CustomerID: customerID})
}

// mergeErased merges a page of each version that has not merged all of the customer's records, and reports whether
// there was one. No more records come: those of an erased customer are refused.
func (tx *Tx) mergeErased(ctx context.Context, environmentID, customerID string) (merged bool, err error) {
	behind, err := core.Queries.UsageEraseBehind(ctx, tx.Pipe,
		dbsqlc.UsageEraseBehindParams{EnvironmentID: environmentID, CustomerID: customerID})
	if err != nil || len(behind) == 0 {
		return false, core.Translate("UsageEraseBehind", err)
	}
	total := 0
	for _, version := range behind {
		n, err := tx.RollUp(ctx, core.Ref{EnvironmentID: environmentID, ID: version}, usageEraseMerge)
		if err != nil {
			return false, err
		}
		total += n
	}
	if total == 0 {
		return false, errUsageNotMerged
	}
	return true, nil
}

// eraseUsage continues after a mark, subscription by subscription.
func (tx *Tx) eraseUsage(ctx context.Context, environmentID, customerID string, mark usageMark) (usageMark, error) {
	for left := usageEraseBatch; left > 0; {
		next, err := core.Queries.UsageEraseSubscription(ctx, tx.Pipe, dbsqlc.UsageEraseSubscriptionParams{
			EnvironmentID: environmentID, CustomerID: customerID, FromID: mark.SubscriptionID,
		})
		if err != nil || next == "" {
			mark.Done = err == nil
			return mark, core.Translate("UsageEraseSubscription", err)
		}
		if next != mark.SubscriptionID {
			mark = usageMark{SubscriptionID: next}
		}
		row, err := core.Queries.UsageErase(ctx, tx.Pipe, dbsqlc.UsageEraseParams{
			EnvironmentID: environmentID, SubscriptionID: next, AfterMetric: mark.MetricID, AfterAt: mark.At, AfterID: mark.ID,
			RowLimit: core.RowLimit(left),
		})
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return mark, core.Translate("UsageErase", err)
		}
		if row.Handled < left { // the subscription has no more
			mark = usageMark{SubscriptionID: next + "!"} // the first id after it
		} else {
			mark.MetricID, mark.At, mark.ID = row.MetricID, row.At, row.ID
		}
		left -= max(row.Handled, 1)
	}
	return mark, nil
}

// usageSalts reads the salts for hashing keys of subscriptions, if the metric has keys.
func (r Reader) usageSalts(
	ctx context.Context, environmentID string, of usage.Metric, subscriptions ...string,
) (map[string][]byte, error) {
	if of.KeyProperty == "" {
		return nil, nil
	}
	rows, err := core.Queries.UsageSaltList(ctx, r.Handle,
		dbsqlc.UsageSaltListParams{EnvironmentID: environmentID, SubscriptionIds: subscriptions})
	salts := make(map[string][]byte, len(rows))
	for _, row := range rows {
		salts[row.ID] = row.UsageSalt
	}
	return salts, core.Translate("UsageSaltList", err)
}
