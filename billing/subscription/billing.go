package subscription

import (
	"slices"

	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/terms"
)

// Billing has the future charges of a subscription: an existing or a requested one, or one after a change.
type Billing struct {
	Currency money.Currency
	Terms    terms.Terms // of its invoices
	// Plans are the versions of its plan and its add-ons. Those that are not sold in the currency do not count: their
	// billing is refused.
	Plans []plan.Plan
	// Fees: the first invoice counts, which also has the prices that are billed once.
	Fees bool
	// Ends: no further period begins, and no invoice comes before the end. A change within the last period is billed at
	// once, so it leaves Ends false.
	Ends bool
}

// Bills returns the charges of some plans and add-ons by the subscription's present terms.
func (s Subscription) Bills(plans ...plan.Plan) Billing {
	return Billing{Currency: s.Currency, Terms: s.Terms, Plans: plans}
}

// AsksMethod reports whether the customer's payment method will be charged automatically: a period renews or an invoice
// is due at once, it costs something, and it is not sent to the customer instead.
func (b Billing) AsksMethod() bool { return b.Charged() && b.Costs() }

// Charged reports whether invoices are charged to the payment method. Where they are not, callers need not read plans.
func (b Billing) Charged() bool { return !b.Ends && !b.Terms.Sent() }

// Costs reports whether any plan costs something, at any quantity.
func (b Billing) Costs() bool {
	return slices.ContainsFunc(b.Plans, func(p plan.Plan) bool {
		if !p.Offers(b.Currency) {
			return false
		}
		return !p.Free() || b.Fees && !p.FreeFromTheStart()
	})
}

// AskedIn returns the currencies in which some of a payer's subscriptions charge the payment method, each once, in
// their order.
func AskedIn(billings []Billing) (currencies []money.Currency) {
	for _, b := range billings {
		if b.AsksMethod() && !slices.Contains(currencies, b.Currency) {
			currencies = append(currencies, b.Currency)
		}
	}
	return currencies
}
