package moving

import (
	"cmp"
	"regexp"
	"time"
	"unicode/utf8"

	"perennial/billing/customer"
	"perennial/billing/fault"
)

// PaymentMethod is a record of a stored payment method of a customer, who may have several. The record of the customer
// has the default one; the one of it here adds what is known of the card.
type PaymentMethod struct {
	ID             string          `json:"id"`       // external
	Customer       string          `json:"customer"` // external id, or the id of a customer here
	Default        bool            `json:"default,omitempty"`
	PaymentMethod  string          `json:"paymentMethod"`
	PaymentDetails *PaymentDetails `json:"paymentDetails,omitempty"`
	Card           *Card           `json:"card,omitempty"`
	BillingName    string          `json:"billingName,omitempty"`
	CreatedAt      Time            `json:"createdAt,omitzero"` // zero: now; of the default: that of the customer
}

// Card has what a person recognizes a card by.
type Card struct {
	Brand       string `json:"brand,omitempty"`
	LastFour    string `json:"lastFour,omitempty"`
	ExpiryYear  int    `json:"expiryYear,omitempty"`
	ExpiryMonth int    `json:"expiryMonth,omitempty"`
}

// MethodOf returns the record of a payment method.
func MethodOf(m customer.Method) PaymentMethod {
	r := PaymentMethod{
		ID: m.ID, Default: m.Default, PaymentMethod: m.Type, BillingName: m.BillingName, CreatedAt: At(m.CreatedAt),
	}
	if m.Default {
		r.CreatedAt = Time{}
	}
	if m.Details != (customer.PaymentDetails{}) {
		d := PaymentDetails(m.Details)
		r.PaymentDetails = &d
	}
	if m.Card != (customer.Card{}) {
		c := Card(m.Card)
		r.Card = &c
	}
	return r
}

// ErrMethodNotDefault refuses a default that is not the payment method of the customer.
var ErrMethodNotDefault = fault.InvalidParam("default", "import_method_not_default",
	"The customer's record has another payment method. Send the same details there, or omit `default`.")

// Method returns the payment method of a record, of a customer here. Faults: import_method_not_default,
// import_text_too_long, import_card_invalid, import_time_invalid and those of customer.Method.
func (r PaymentMethod) Method(id string, payer customer.Customer, now time.Time) (customer.Method, error) {
	m := customer.Method{
		ID: id, CustomerID: payer.ID, Type: r.PaymentMethod, BillingName: r.BillingName, Default: r.Default, Revision: 1,
		CreatedAt: cmp.Or(r.CreatedAt.Time, now),
	}
	if r.PaymentDetails != nil {
		m.Details = customer.PaymentDetails(*r.PaymentDetails)
	}
	if r.Card != nil {
		m.Card = customer.Card(*r.Card)
	}
	faults := []error{m.Check(), r.checkTexts()}
	if r.Default && (payer.PaymentMethod != m.Type || payer.PaymentDetails != m.Details) {
		faults = append(faults, ErrMethodNotDefault)
	} else {
		faults = append(faults, checkCreated(r.CreatedAt, now))
	}
	return m, fault.Joined(faults...)
}

// checkTexts refuses what the API refuses by the shape of a request.
func (r PaymentMethod) checkTexts() error {
	d, card := PaymentDetails{}, Card{}
	if r.PaymentDetails != nil {
		d = *r.PaymentDetails
	}
	if r.Card != nil {
		card = *r.Card
	}
	var faults []error
	for _, text := range []struct {
		field, value string
		most         int
	}{
		{"billingName", r.BillingName, 200}, {"card.brand", card.Brand, 40},
		{"paymentDetails.provider", d.Provider, 40}, {"paymentDetails.customerToken", d.CustomerToken, 255},
		{"paymentDetails.paymentMethodToken", d.PaymentMethodToken, 255},
	} {
		if utf8.RuneCountInString(text.value) > text.most {
			faults = append(faults, tooLong(text.field, text.most))
		}
	}
	if card.LastFour != "" && !lastFour.MatchString(card.LastFour) {
		faults = append(faults, fault.InvalidParam("card.lastFour", "import_card_invalid",
			"`card.lastFour` must be the last four digits of the card."))
	}
	year, month := card.ExpiryYear, card.ExpiryMonth
	if month < 0 || month > 12 || year != 0 && (year < 2000 || year > 2199) {
		faults = append(faults, fault.InvalidParam("card", "import_card_invalid",
			"A card's expiry is a year of four digits and a month from 1 to 12."))
	}
	return fault.Joined(faults...)
}

var lastFour = regexp.MustCompile(`^[0-9]{4}$`)

func tooLong(field string, most int) error {
	return fault.InvalidParam(field, "import_text_too_long", "`%s` must have at most %d characters.", field, most)
}
