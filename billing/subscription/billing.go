package subscription

import (
	"slices"

	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/terms"
)

// Billing is what a subscription is going to bill: one that exists, one that is asked for, or one after a change.
type Billing struct {
	Currency money.Currency
	Terms    terms.Terms // of its invoices
	// Plans are the versions of its plan and its add-ons that it bills. Those that are not sold in the currency do not
	// count: what bills them is refused.
	Plans []plan.Plan
	// Fees: its first invoice, which also has the prices that are billed once, is among what counts.
	Fees bool
	// Ends: no further period begins, and nothing is billed before. A change within the last period is billed at once, so
	// it does not end.
	Ends bool
}

// Bills returns what the subscription bills of some plans and add-ons from now on, by its present terms.
func (s Subscription) Bills(plans ...plan.Plan) Billing {
	return Billing{Currency: s.Currency, Terms: s.Terms, Plans: plans}
}

// AsksMethod reports whether the customer's payment method is going to be charged automatically: something renews or is
// billed at once, costs something, and is not sent to the customer instead.
func (b Billing) AsksMethod() bool { return b.Charged() && b.Costs() }

// Charged reports whether the payment method is charged for what costs something. Where it is not, no plan needs to be
// read.
func (b Billing) Charged() bool { return !b.Ends && !b.Terms.Sent() }

// Costs reports whether anything costs something, whatever the quantities.
func (b Billing) Costs() bool {
	return slices.ContainsFunc(b.Plans, func(p plan.Plan) bool {
		if !p.Offers(b.Currency) {
			return false
		}
		return !p.Free() || b.Fees && !p.FreeFromTheStart()
	})
}

// AskedIn returns the currencies in which some of a payer's subscriptions ask something of the payment method, each
// once, in their order.
func AskedIn(billings []Billing) (currencies []money.Currency) {
	for _, b := range billings {
		if b.AsksMethod() && !slices.Contains(currencies, b.Currency) {
			currencies = append(currencies, b.Currency)
		}
	}
	return currencies
}
