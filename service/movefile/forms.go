package movefile

import "perennial/billing/moving"

// The forms of records, as a line of JSON has them. PerennialID is written by an export. Imported
// where it came from, it says that the record is there; the ids mean nothing elsewhere.

type customerForm struct {
	Type moving.Type `json:"type"`
	moving.Customer
	PerennialID string `json:"perennialId,omitempty"`
}

type balanceForm struct {
	Type moving.Type `json:"type"`
	moving.Balance
	PerennialID string `json:"perennialId,omitempty"`
}

type subscriptionForm struct {
	Type moving.Type `json:"type"`
	moving.Subscription
	PerennialID string `json:"perennialId,omitempty"`
}

type paymentMethodForm struct {
	Type moving.Type `json:"type"`
	moving.PaymentMethod
	PerennialID string `json:"perennialId,omitempty"`
}

type creditGrantForm struct {
	Type moving.Type `json:"type"`
	moving.CreditGrant
	PerennialID string `json:"perennialId,omitempty"`
}

type settingsForm struct {
	Type moving.Type `json:"type"`
	moving.Settings
	PerennialID string `json:"perennialId,omitempty"`
}

type endpointForm struct {
	Type moving.Type `json:"type"`
	moving.Endpoint
	PerennialID string `json:"perennialId,omitempty"`
}

type productForm struct {
	Type moving.Type `json:"type"`
	moving.Product
	PerennialID string `json:"perennialId,omitempty"`
}

type taxRateForm struct {
	Type moving.Type `json:"type"`
	moving.TaxRate
	PerennialID string `json:"perennialId,omitempty"`
}

type metricForm struct {
	Type moving.Type `json:"type"`
	moving.Metric
	PerennialID string `json:"perennialId,omitempty"`
}

type planForm struct {
	Type moving.Type `json:"type"`
	moving.Plan
	PerennialID string `json:"perennialId,omitempty"`
}

type couponForm struct {
	Type moving.Type `json:"type"`
	moving.SoldCoupon
	PerennialID string `json:"perennialId,omitempty"`
}

// record returns the customer that the form is about.
func (f customerForm) record() moving.Customer {
	if f.TaxExempt == "none" { // as the API has it
		f.TaxExempt = ""
	}
	return f.Customer
}
