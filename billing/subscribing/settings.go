package subscribing

import (
	"maps"
	"time"

	"perennial/billing/event"
	"perennial/billing/metadata"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

// SetMetadata replaces all metadata of the subscription. Faults: subscription_canceled, those of metadata.Pairs.Check.
func (s Situation) SetMetadata(to metadata.Pairs, now time.Time) (Decision, error) {
	if s.Status == subscription.Canceled {
		return Decision{}, ErrCanceled
	}
	if err := to.Check(); err != nil || maps.Equal(s.Metadata, to) {
		return Decision{Subscription: s.Subscription}, err
	}
	s.Metadata = to
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, "metadata")}}, nil
}

// SetTerms changes the collection of future invoices; nil: no change. Invoices keep the terms that they were issued
// with. Faults: subscription_canceled, those of terms.Terms.Validate.
func (s Situation) SetTerms(method *terms.Method, netDays *int, now time.Time) (Decision, error) {
	if s.Status == subscription.Canceled {
		return Decision{}, ErrCanceled
	}
	to, err := s.Terms.Changed(method, netDays)
	if err != nil || to == s.Terms {
		return Decision{Subscription: s.Subscription}, err
	}
	var changed []string
	if to.Method != s.Terms.Method {
		changed = append(changed, "collectionMethod")
	}
	if to.NetDays != s.Terms.NetDays {
		changed = append(changed, "netDays")
	}
	s.Terms = to
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, changed...)}}, nil
}

// SetUsageThresholds sets the subscription's own thresholds; nil: the plan's apply. Faults: subscription_canceled,
// those of subscription.UsageThresholds.Check.
func (s Situation) SetUsageThresholds(to *subscription.UsageThresholds, now time.Time) (Decision, error) {
	if s.Status == subscription.Canceled {
		return Decision{}, ErrCanceled
	}
	if err := to.Check(s.Facts.Plan.Metered); err != nil {
		return Decision{}, err
	}
	if to.Same(s.UsageThresholds) {
		return Decision{Subscription: s.Subscription}, nil
	}
	s.UsageThresholds = to
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, "usageThresholds")}}, nil
}

// SetPaymentMethod changes the payment method that charges from now on use; empty: the customer's default. Fault:
// subscription_canceled.
func SetPaymentMethod(s Situation, methodID string, now time.Time) (Decision, error) {
	if s.Status == subscription.Canceled {
		return Decision{}, ErrCanceled
	}
	if methodID == s.PaymentMethodID {
		return Decision{Subscription: s.Subscription}, nil
	}
	s.PaymentMethodID = methodID
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, "paymentMethodId")}}, nil
}
