package subscription

import (
	"maps"
	"time"

	"perennial/billing/event"
	"perennial/billing/metadata"
)

// SetMetadata replaces all metadata of the subscription. Faults: subscription_canceled, those of metadata.Pairs.Check.
func (s Situation) SetMetadata(to metadata.Pairs, now time.Time) (Decision, error) {
	if s.Status == Canceled {
		return Decision{}, ErrCanceled
	}
	if err := to.Check(); err != nil || maps.Equal(s.Metadata, to) {
		return Decision{Subscription: s.Subscription}, err
	}
	s.Metadata = to
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.updated(now, "metadata")}}, nil
}
