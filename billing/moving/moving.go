// Package moving owns the data of a company that moves in from another billing system: records of customers, balances
// and subscriptions, and the subscription that follows from a record. It does not own the form of records in files
// (service/movefile) nor which of them exist here already (service).
package moving

import (
	"errors"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/postal"
	"perennial/billing/tax"
)

// MaxID bounds an external id, in bytes.
const MaxID = 255

// Customer is a record of one. The payment method is the provider's tokens or a phone number, as in the API.
type Customer struct {
	ID             string           `json:"id"` // external
	Email          string           `json:"email,omitempty"`
	Name           string           `json:"name,omitempty"`
	Phone          string           `json:"phone,omitempty"`
	Address        *postal.Address  `json:"address,omitempty"` // nil: none was sent
	Country        string           `json:"country,omitempty"`
	Region         string           `json:"region,omitempty"`
	Locale         string           `json:"locale,omitempty"`
	TimeZone       string           `json:"timeZone,omitempty"`
	TaxExempt      tax.Exemption    `json:"taxExempt,omitempty"`
	TaxIDs         tax.IDs          `json:"taxIds,omitempty"`
	PaymentMethod  string           `json:"paymentMethod,omitempty"`
	PaymentDetails *PaymentDetails  `json:"paymentDetails,omitempty"` // nil: none were sent
	Dunning        *dunning.Dunning `json:"dunning,omitempty"`        // nil: the plan's or the environment's
	OverduePolicy  *OverduePolicy   `json:"overduePolicy,omitempty"`  // nil: the environment's
	Features       []Feature        `json:"features,omitempty"`       // in place of those of plans
	Metadata       metadata.Pairs   `json:"metadata,omitempty"`
	CreatedAt      Time             `json:"createdAt,omitzero"` // zero: now
}

// PaymentDetails are the payment details of a customer.
type PaymentDetails struct {
	PhoneNumber        string `json:"phoneNumber,omitempty"`
	Provider           string `json:"provider,omitempty"`
	CustomerToken      string `json:"customerToken,omitempty"`
	PaymentMethodToken string `json:"paymentMethodToken,omitempty"`
}

// Postal returns the address, empty where none was sent.
func (c Customer) Postal() postal.Address {
	if c.Address == nil {
		return postal.Address{}
	}
	return *c.Address
}

// Details returns the details of the payment method, empty where none were sent.
func (c Customer) Details() PaymentDetails {
	if c.PaymentDetails == nil {
		return PaymentDetails{}
	}
	return *c.PaymentDetails
}

// Check refuses what the API refuses by the shape of a request, and returns all faults of the record:
// import_text_too_long, import_method_unknown, import_metadata_too_many, import_time_invalid.
func (c Customer) Check(now time.Time) error {
	a, d := c.Postal(), c.Details()
	var faults []error
	for _, text := range []struct {
		field, value string
		most         int
	}{
		{"name", c.Name, 200}, {"address.line1", a.Line1, 200}, {"address.line2", a.Line2, 200},
		{"address.city", a.City, 100}, {"address.postalCode", a.PostalCode, 20},
		{"paymentDetails.provider", d.Provider, 40},
		{"paymentDetails.customerToken", d.CustomerToken, 255},
		{"paymentDetails.paymentMethodToken", d.PaymentMethodToken, 255},
	} {
		if utf8.RuneCountInString(text.value) > text.most {
			faults = append(faults, tooLong(text.field, text.most))
		}
	}
	if c.PaymentMethod != "" && !methods.MatchString(c.PaymentMethod) {
		faults = append(faults, fault.InvalidParam("paymentMethod", "import_method_unknown",
			"`paymentMethod` is malformed. Send card, or a method of mobile money with its operator, as the API takes it."))
	}
	return errors.Join(append(faults, checkCreated(c.CreatedAt, now), CheckPairs(c.Metadata))...)
}

var methods = regexp.MustCompile(`^(card|mobile_money_[a-z0-9_]{1,40})$`)

// maxPairs bounds the metadata of a record, as the API does.
const maxPairs = 50

// CheckPairs refuses more notes than a resource may have: import_metadata_too_many.
func CheckPairs(m metadata.Pairs) error {
	if len(m) > maxPairs {
		return fault.InvalidParam("metadata", "import_metadata_too_many",
			"`metadata` must have at most %d entries. The record has %d.", maxPairs, len(m))
	}
	return nil
}

// Balance is a record of a customer's balance in a currency, in minor units; below zero it is owed.
type Balance struct {
	Customer string         `json:"customer"` // external id, or the id of a customer here
	Currency money.Currency `json:"currency"`
	Amount   money.Minor    `json:"amount"`
}

// ID returns the external id of the record: a customer has one balance in a currency.
func (b Balance) ID() string { return b.Customer + "/" + string(b.Currency) }

// Check refuses a balance that cannot be: currency_unknown, amount_too_large, import_balance_empty.
func (b Balance) Check() error {
	if _, err := money.ParseCurrency(string(b.Currency)); err != nil {
		return err
	}
	if b.Amount == 0 {
		return fault.InvalidParam("amount", "import_balance_empty",
			"`amount` is zero. Omit the record, or send what the customer has in hand in minor units.")
	}
	if err := b.Amount.Check(); err != nil {
		return fault.From(err).In("amount")
	}
	return nil
}

// CheckID refuses an external id that is missing, too long with its source, or like an erased one: import_id_invalid.
func CheckID(param, source, id string) error {
	if id == "" || len(Qualified(source, id)) > MaxID || strings.HasPrefix(id, ErasedID) {
		return fault.InvalidParam(param, "import_id_invalid",
			"`%s` must have 1 to %d bytes, with the source before it, and must not begin with %s. Send the id of the "+
				"system that you move from.", param, MaxID, ErasedID)
	}
	return nil
}
