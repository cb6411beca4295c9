package customer

import (
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/billing/text"
)

// MaxMethods bounds the payment methods that a customer has at a time.
const MaxMethods = 20

// Method is a stored payment method. A customer may have several; the customer's own fields are those of the default.
type Method struct {
	ID          string
	CustomerID  string
	Type        string // "card" or mobile_money_<operator>
	Details     PaymentDetails
	Card        Card
	BillingName string // personal data; empty: unknown
	Default     bool
	Noticed     bool      // the expiry of its card is announced, or not known
	RemovedAt   time.Time // zero: it can be charged
	CreatedAt   time.Time
	Revision    int64
}

// Card has what a person recognizes a card by. None of it is enough to charge the card.
type Card struct {
	Brand       string // as the provider names it; empty: unknown
	LastFour    string // digits; empty: unknown
	ExpiryYear  int    // with ExpiryMonth, the last month in which the card is good; 0: unknown
	ExpiryMonth int
}

// Check validates a new or changed method. Faults: those of a customer's payment method and of text,
// card_details_misplaced, card_expiry_invalid.
func (m Method) Check() error {
	if m.Type == "" {
		return fault.InvalidParam("paymentMethod", "field_missing",
			"`paymentMethod` is missing. Send `card`, or the customer's mobile money operator.")
	}
	return fault.Joined((Customer{}).WithMethod(m).checkMethod(), m.checkCard(), text.Check("billingName", m.BillingName))
}

func (m Method) checkCard() error {
	c := m.Card
	switch {
	case c == (Card{}):
		return nil
	case m.Type != "card":
		return fault.InvalidParam("card", "card_details_misplaced",
			"`card` describes a card, and the payment method is %s. Omit it.", m.Type)
	case (c.ExpiryYear == 0) != (c.ExpiryMonth == 0):
		return fault.InvalidParam("card", "card_expiry_invalid",
			"A card's expiry is a year and a month. Send `expiryYear` and `expiryMonth`, or neither.")
	}
	return text.Check("card.brand", c.Brand)
}

// WithMethod returns the customer with m as the payment method that is charged.
func (c Customer) WithMethod(m Method) Customer {
	c.PaymentMethodID, c.PaymentMethod, c.PaymentDetails = m.ID, m.Type, m.Details
	return c
}

// Method returns the payment method that is charged, as far as a charge needs it.
func (c Customer) Method() Method {
	return Method{ID: c.PaymentMethodID, CustomerID: c.ID, Type: c.PaymentMethod, Details: c.PaymentDetails}
}

// FirstMethodID returns the id of the payment method that a customer is created with. It follows from the customer's,
// so that customers from before payment methods had ids have one.
func (c Customer) FirstMethodID() string {
	return methodPrefix + strings.TrimPrefix(c.ID, customerPrefix)
}

const (
	methodPrefix   = "pm_"
	customerPrefix = "cust_"
)

// MaskedPhone returns the number of a wallet for people who know it: country and last digits. Empty: there is none.
func (m Method) MaskedPhone() string {
	const shown, last = 4, 2
	n := m.Details.PhoneNumber
	if len(n) <= shown+last {
		return strings.Repeat("*", len(n))
	}
	return n[:shown] + strings.Repeat("*", len(n)-shown-last) + n[len(n)-last:]
}

// ErrTooManyMethods refuses one more than MaxMethods.
var ErrTooManyMethods = fault.New(fault.Conflict, "payment_methods_too_many",
	"The customer has %d payment methods, which is the maximum. Remove one first.", MaxMethods)

// ErrDefaultNeedsSuccessor refuses to take the default from a method without another one.
var ErrDefaultNeedsSuccessor = fault.New(fault.Conflict, "default_needs_successor",
	"The payment method is the customer's default. Make another one the default instead.").In("default")

// Successor returns the method that becomes the default when the one with an id is removed: the oldest of the others.
// methods are oldest first. The zero Method: none is left.
func Successor(methods []Method, removedID string) Method {
	for _, m := range methods {
		if m.ID != removedID && m.RemovedAt.IsZero() {
			return m
		}
	}
	return Method{}
}

// Charged returns the customer with the method that a named id stands for: the named one, or the default where the id
// is empty or of a removed method. others are the customer's other methods, in the order in which they may be tried:
// the default first, then the oldest. methods are all of the customer's, oldest first.
func (c Customer) Charged(methods []Method, namedID string) (payer Customer, others []Method) {
	payer = c
	for _, m := range methods {
		if m.ID == namedID {
			payer = c.WithMethod(m)
		}
	}
	for _, m := range methods {
		switch {
		case m.ID == payer.PaymentMethodID:
		case m.Default:
			others = append([]Method{m}, others...)
		default:
			others = append(others, m)
		}
	}
	return payer, others
}
