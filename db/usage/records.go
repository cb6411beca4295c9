package usage

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// NewUsage is a record to write, with the fingerprint of the sent record.
type NewUsage struct {
	usage.Record
	Fingerprint []byte
}

// Taken is the outcome of one record of Insert, with the time of the record. Taken: it is written. Otherwise the facts
// refuse it (usage.Admit), or its key was used before.
type Taken struct {
	Taken bool
	At    time.Time
	Facts usage.Facts // of a record that was not written
}

// Insert validates records and writes the accepted ones whose key was never used, also not by an earlier one of them.
// results has the outcomes, in the order of the records, after the commit, so that all of it is one round trip.
func (tx *Tx) Insert(
	ctx context.Context, environmentID string, records []NewUsage, results []Taken,
) error {
	in, err := usageParams(environmentID, tx.Now, records)
	if err != nil {
		return err
	}
	if err := core.Queries.UsageFloor(ctx, tx.Pipe, environmentID); err != nil {
		return err
	}
	return tx.Pipe.AddReading(func(handle dbsqlc.DBTX) error {
		rows, err := core.Queries.UsageInsert(ctx, handle, in)
		if err != nil {
			return err
		}
		for i, r := range records { // those without a row
			if results[i] = (Taken{Taken: true, At: in.Now}); !r.At.IsZero() {
				results[i].At = r.At.UTC().Truncate(time.Microsecond) // as stored
			}
		}
		for _, row := range rows {
			results[row.Ordinal-1] = usageTakenFromDB(row, records[row.Ordinal-1].Metric)
		}
		return nil
	})
}

func usageParams(environmentID string, now time.Time, records []NewUsage) (dbsqlc.UsageInsertParams, error) {
	n := len(records)
	in := dbsqlc.UsageInsertParams{
		EnvironmentID: environmentID, Now: now, MaxAgeSeconds: int64(usage.MaxAge / time.Second),
		MaxAheadSeconds: int64(usage.MaxAhead / time.Second), Ids: make([]string, n),
		Keys: make([]string, n), Fingerprints: make([][]byte, n), SubscriptionIds: make([]string, n),
		MetricNames: make([]string, n), Quantities: make([]string, n), Ats: make([]time.Time, n),
		Properties: make([]string, n), Corrects: make([]string, n),
	}
	for i, r := range records {
		in.Ids[i], in.Keys[i], in.Fingerprints[i] = r.ID, r.Key, r.Fingerprint
		in.SubscriptionIds[i], in.MetricNames[i], in.Quantities[i] = r.SubscriptionID, r.Metric, r.Quantity.String()
		in.Ats[i], in.Corrects[i] = r.At, r.Corrects
		if len(r.Properties) > 0 {
			text, err := json.Marshal(r.Properties)
			if err != nil {
				return in, err
			}
			in.Properties[i] = string(text)
		}
	}
	return in, nil
}

func usageTakenFromDB(row dbsqlc.UsageInsertRow, metricName string) Taken {
	return Taken{
		Taken: row.Taken, At: row.At,
		Facts: usage.Facts{
			Now: row.Now, SubscriptionAbsent: row.SubscriptionAbsent, Started: row.Started, Ended: core.Value(row.Ended),
			Closed:       row.Closed,
			MetricAbsent: row.MetricAbsent,
			Metric: usage.Metric{Name: metricName, Active: row.Active, Definition: usage.Definition{
				Property: core.Value(row.Property), KeyProperty: core.Value(row.KeyProperty), CarriesOver: row.Carries,
			}},
		},
	}
}

// Key is the permanent row of one record's key.
type Key struct {
	RecordID    string
	At          time.Time
	Fingerprint []byte
}

// UsageKeys reads the rows of keys; unused keys are absent.
func (l *Log) UsageKeys(ctx context.Context, environmentID string, keys []string) (map[string]Key, error) {
	rows, err := core.Queries.UsageKeyList(ctx, l.store.Reads().Handle,
		dbsqlc.UsageKeyListParams{EnvironmentID: environmentID, Keys: keys})
	known := make(map[string]Key, len(rows))
	for _, row := range rows {
		known[row.Key] = Key{RecordID: row.RecordID, At: row.At, Fingerprint: row.Fingerprint}
	}
	return known, core.Translate("UsageKeyList", err)
}

var errUsageRecordNotFound = fault.New(fault.NotFound, "usage_record_not_found",
	"No record of this subscription and metric has the idempotency key that `corrects` names.").In("corrects")

// notCorrectable returns why a subscription and metric have no record with a key: another one has it, or the record
// does not exist, or retention deleted it. Faults: usage_correction_mismatch, usage_record_not_found.
func (tx *Tx) notCorrectable(ctx context.Context, environmentID, key string) error {
	known, err := core.Queries.UsageKeyList(ctx, tx.Pipe,
		dbsqlc.UsageKeyListParams{EnvironmentID: environmentID, Keys: []string{key}})
	switch {
	case err != nil:
		return core.Translate("UsageKeyList", err)
	case len(known) == 1 && known[0].At.After(tx.Real.AddDate(0, 0, -usageKeepDays)):
		return usage.ErrCorrectsAnother
	}
	return errUsageRecordNotFound
}

// LockRecord reads a subscription's record of a metric by its key, with its metric and the sum of its corrections. It
// locks it until the transaction ends, so that no other one can correct it. Faults: usage_correction_mismatch;
// usage_record_not_found, also for one that retention has deleted.
func (tx *Tx) LockRecord(
	ctx context.Context, environmentID, subscriptionID, metricName, key string,
) (original usage.Record, of usage.Metric, corrected money.Decimal, err error) {
	row, err := core.Queries.UsageRecordLock(ctx, tx.Pipe, dbsqlc.UsageRecordLockParams{
		EnvironmentID: environmentID, SubscriptionID: subscriptionID, MetricName: metricName, Key: key,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return original, of, corrected, tx.notCorrectable(ctx, environmentID, key)
	}
	if err != nil {
		return original, of, corrected, core.Translate("UsageRecordLock", err)
	}
	original = usage.Record{
		ID: row.ID, SubscriptionID: row.SubscriptionID, Metric: row.MetricName, At: row.At, Key: key,
		Corrects: core.Value(row.Corrects),
	}
	of = usage.Metric{ID: row.MetricID, Name: row.MetricName, Definition: row.Definition}
	if original.Properties, err = propertiesFromDB(row.Properties); err != nil {
		return original, of, corrected, err
	}
	if original.Quantity, err = money.ReadDecimal(row.Quantity); err != nil {
		return original, of, corrected, err
	}
	sum, err := core.Queries.UsageRecordCorrected(ctx, tx.Pipe, dbsqlc.UsageRecordCorrectedParams{
		EnvironmentID: environmentID, SubscriptionID: subscriptionID, MetricID: row.MetricID, At: row.At, RecordID: row.ID,
	})
	if err != nil {
		return original, of, corrected, core.Translate("UsageRecordCorrected", err)
	}
	corrected, err = money.ReadDecimal(sum)
	return original, of, corrected, err
}

func propertiesFromDB(text []byte) (p usage.Properties, err error) {
	if len(text) == 0 {
		return nil, nil
	}
	err = json.Unmarshal(text, &p)
	return p, err
}
