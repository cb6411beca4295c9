package movefile

import "perennial/billing/moving"

// The forms of records, as a line of JSON has them.

// origin is written by an export. Imported where it came from, it says that the record is there; the ids mean nothing
// elsewhere.
type origin struct {
	PerennialID string `json:"perennialId,omitempty"`
}

// take removes the id, which is no part of what the record says, and returns it.
func (o *origin) take() string {
	id := o.PerennialID
	o.PerennialID = ""
	return id
}

type customerForm struct {
	Type moving.Type `json:"type"`
	moving.Customer
	origin
}

type balanceForm struct {
	Type moving.Type `json:"type"`
	moving.Balance
	origin
}

type subscriptionForm struct {
	Type moving.Type `json:"type"`
	moving.Subscription
	origin
}

type paymentMethodForm struct {
	Type moving.Type `json:"type"`
	moving.PaymentMethod
	origin
}

type creditGrantForm struct {
	Type moving.Type `json:"type"`
	moving.CreditGrant
	origin
}

type settingsForm struct {
	Type moving.Type `json:"type"`
	moving.Settings
	origin
}

type endpointForm struct {
	Type moving.Type `json:"type"`
	moving.Endpoint
	origin
}

type productForm struct {
	Type moving.Type `json:"type"`
	moving.Product
	origin
}

type taxRateForm struct {
	Type moving.Type `json:"type"`
	moving.TaxRate
	origin
}

type metricForm struct {
	Type moving.Type `json:"type"`
	moving.Metric
	origin
}

type planForm struct {
	Type moving.Type `json:"type"`
	moving.Plan
	origin
}

// take removes also the ids within the plan: an export of an environment where it was imported has others.
func (f *planForm) take() string {
	f.Plan = f.Plan.WithoutIDs()
	return f.origin.take()
}

type couponForm struct {
	Type moving.Type `json:"type"`
	moving.SoldCoupon
	origin
}

// record returns the customer that the form is about.
func (f customerForm) record() moving.Customer {
	if f.TaxExempt == "none" { // as the API has it
		f.TaxExempt = ""
	}
	return f.Customer
}
