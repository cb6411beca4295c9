package usage

import (
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// The allowed difference between a record's time and now.
const (
	MaxAge   = 90 * 24 * time.Hour
	MaxAhead = time.Hour // clocks of callers differ
)

// Facts decide whether a record is accepted: about its subscription and its metric.
type Facts struct {
	Now                time.Time // the subscription's: virtual on a test clock
	SubscriptionAbsent bool      // also for a deleted customer
	Started, Ended     time.Time // of the subscription; a zero end: it has none
	Closed             bool      // its last usage is billed: no invoice would bill a record
	MetricAbsent       bool
	Metric             Metric // its current version, as far as value needs it
}

var (
	errTooOld = fault.InvalidParam("timestamp", "usage_too_old",
		"`timestamp` is more than %d days ago. Usage that old is not taken any more.", int(MaxAge.Hours()/24))
	errTooFarAhead = fault.InvalidParam("timestamp", "usage_too_far_ahead",
		"`timestamp` is more than %d minutes in the future. Send the time of the usage in Unix seconds.",
		int(MaxAhead.Minutes()))
	errTooEarly = fault.InvalidParam("timestamp", "usage_before_subscription",
		"`timestamp` is before the subscription began. Send the subscription that was in force then.")
	errEnded = fault.New(fault.Conflict, "usage_after_end",
		"The subscription ended before `timestamp`. Send usage of the time before its end, or another subscription.").In("timestamp")
)

// errClosed refuses records after the last invoice.
var errClosed = fault.New(fault.Conflict, "usage_closed",
	"The subscription has ended and its last usage is billed, so that no invoice would bill this record.").
	In("subscriptionId")

// Admit decides whether a record is accepted. Faults, in this order: subscription_not_found, metric_not_found,
// metric_archived, usage_too_old, usage_too_far_ahead, usage_before_subscription, usage_after_end, usage_closed,
// usage_property_missing, usage_property_invalid, usage_quantity_negative. The insert of db has the same conditions, so
// that one statement decides and writes.
func Admit(r Record, f Facts) error {
	switch {
	case f.SubscriptionAbsent:
		return fault.New(fault.NotFound, "subscription_not_found",
			"The subscription with this id does not exist.").In("subscriptionId")
	case f.MetricAbsent:
		return fault.New(fault.NotFound, "metric_not_found", "The metric with this name does not exist.").In("metricName")
	case !f.Metric.Active && r.Corrects == "":
		return ErrArchived
	case r.At.Before(f.Now.Add(-MaxAge)):
		return errTooOld
	case r.At.After(f.Now.Add(MaxAhead)):
		return errTooFarAhead
	case r.At.Before(f.Started):
		return errTooEarly
	case !f.Ended.IsZero() && !r.At.Before(f.Ended):
		return errEnded
	case f.Closed:
		return errClosed
	}
	value, lacks := f.Metric.value(r)
	switch {
	case lacks != nil:
		return lacks
	case value.Sign() < 0 && r.Corrects == "" && !f.Metric.Carries():
		return fault.InvalidParam("quantity", "usage_quantity_negative",
			"The quantity is negative. To take usage back, name the record in `corrects`.")
	}
	return nil
}

// ErrCorrectsAnother refuses a correction of a record of another subscription or metric.
var ErrCorrectsAnother = fault.InvalidParam("corrects", "usage_correction_mismatch",
	"The record that `corrects` names is of another subscription or metric.")

// Correct returns a correction of another record. before is the sum of earlier corrections, at most 0. Faults:
// usage_correction_not_negative, usage_correction_mismatch, usage_correction_too_large.
func Correct(original Record, before money.Decimal, of Metric, correction Record) (Record, error) {
	value := original.Quantity
	if of.Property != "" {
		value, _ = money.ParseDecimal(original.Properties[of.Property]) // a text that is not a number counts as 0
	}
	switch left := value.Add(before).Add(correction.Quantity); {
	case correction.Quantity.Sign() >= 0:
		return correction, fault.InvalidParam("quantity", "usage_correction_not_negative",
			"A correction takes usage back. Send a negative `quantity`, or a new record without `corrects`.")
	case correction.SubscriptionID != original.SubscriptionID, correction.Metric != original.Metric:
		return correction, ErrCorrectsAnother
	case original.Corrects != "":
		return correction, fault.InvalidParam("corrects", "usage_correction_mismatch",
			"The record that `corrects` names is a correction itself. Name the record that it corrects.")
	case left.Sign() < 0:
		return correction, fault.InvalidParam("quantity", "usage_correction_too_large",
			"The correction takes back more than is left of the record: %s.", value.Add(before))
	}
	correction.Corrects, correction.At, correction.Properties = original.ID, original.At, original.Properties
	return correction, nil
}
