package movefile

import (
	"encoding/json"
	"io"

	"perennial/billing/moving"
)

// Writer writes an export as JSON Lines.
type Writer struct{ lines *json.Encoder }

// NewWriter writes to out, which should be buffered.
func NewWriter(out io.Writer) *Writer {
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	return &Writer{lines}
}

// Customer writes a record of one, with the id that it has here.
func (w *Writer) Customer(c moving.Customer, perennialID string) error {
	return w.lines.Encode(customerForm{moving.CustomerType, c, origin{perennialID}})
}

// Subscription writes a record of one, with the id that it has here.
func (w *Writer) Subscription(s moving.Subscription, perennialID string) error {
	return w.lines.Encode(subscriptionForm{moving.SubscriptionType, s, origin{perennialID}})
}

// Balance writes a record of one.
func (w *Writer) Balance(b moving.Balance, perennialID string) error {
	return w.lines.Encode(balanceForm{moving.BalanceType, b, origin{perennialID}})
}

// PaymentMethod writes a record of one, with the id that it has here.
func (w *Writer) PaymentMethod(m moving.PaymentMethod, perennialID string) error {
	return w.lines.Encode(paymentMethodForm{moving.PaymentMethodType, m, origin{perennialID}})
}

// CreditGrant writes a record of one, with the id that it has here.
func (w *Writer) CreditGrant(g moving.CreditGrant, perennialID string) error {
	return w.lines.Encode(creditGrantForm{moving.CreditGrantType, g, origin{perennialID}})
}

// Settings writes the record of an environment's, with the environment's id.
func (w *Writer) Settings(s moving.Settings, environmentID string) error {
	return w.lines.Encode(settingsForm{moving.SettingsType, s, origin{environmentID}})
}

// Endpoint writes a record of one, with the id that it has here.
func (w *Writer) Endpoint(e moving.Endpoint, perennialID string) error {
	return w.lines.Encode(endpointForm{moving.EndpointType, e, origin{perennialID}})
}

// Product writes a record of one, with the id that it has here.
func (w *Writer) Product(r moving.Product, perennialID string) error {
	return w.lines.Encode(productForm{moving.ProductType, r, origin{perennialID}})
}

// TaxRate writes a record of one, with the id that it has here.
func (w *Writer) TaxRate(r moving.TaxRate, perennialID string) error {
	return w.lines.Encode(taxRateForm{moving.TaxRateType, r, origin{perennialID}})
}

// Metric writes a record of a version of one, with the id that it has here.
func (w *Writer) Metric(r moving.Metric, perennialID string) error {
	return w.lines.Encode(metricForm{moving.MetricType, r, origin{perennialID}})
}

// Plan writes a record of a version of one, with the id that it has here.
func (w *Writer) Plan(r moving.Plan, perennialID string) error {
	return w.lines.Encode(planForm{moving.PlanType, r, origin{perennialID}})
}

// Coupon writes a record of one, with the id that it has here.
func (w *Writer) Coupon(r moving.SoldCoupon, perennialID string) error {
	return w.lines.Encode(couponForm{moving.CouponType, r, origin{perennialID}})
}
