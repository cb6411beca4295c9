// Package customer owns the payer and the payment method. All personal data of a customer is in this type and nowhere
// else: events, logs and Temporal payloads carry the ID only.
package customer

import (
	"strings"
	"time"

	"perennial/billing/dunning"
	"perennial/billing/metadata"
	"perennial/billing/plan"
	"perennial/billing/postal"
	"perennial/billing/tax"
)

// PaymentDetails hold provider tokens and a phone number; a card number never reaches us.
type PaymentDetails struct {
	PhoneNumber        string `json:"phoneNumber,omitempty"`
	Provider           string `json:"provider,omitempty"`
	CustomerToken      string `json:"customerToken,omitempty"`
	PaymentMethodToken string `json:"paymentMethodToken,omitempty"`
}

// Customer is a payer of one environment.
type Customer struct {
	ID             string
	Email          string
	Name           string
	Phone          string
	Address        postal.Address
	Country        string // of the address too; ISO 3166-1 alpha-2; empty: not known
	Region         string // of the country, as in tax.Definition; empty: not known
	Locale         string // BCP 47: the language of what the customer reads; empty: not known
	TimeZone       string // IANA: of the times that the customer reads; empty: not known
	TaxExempt      tax.Exemption
	TaxIDs         tax.IDs
	Metadata       metadata.Pairs
	PaymentMethod  string // "card" or mobile_money_<operator>; empty: none
	PaymentDetails PaymentDetails
	Features       plan.FeatureOverrides // in place of those of plans
	Dunning        *dunning.Policy       // in place of the plan's and the environment's; nil: none
	TestClockID    string
	ErasedAt       time.Time
	CreatedAt      time.Time
	Revision       int64
}

// TaxPayer is what decides which tax rates hold for the customer.
func (c Customer) TaxPayer() tax.Payer {
	return tax.Payer{Country: c.Country, Region: c.Region, Exemption: c.TaxExempt, IDs: c.TaxIDs}
}

// CanPay reports whether there is a method to charge.
func (c Customer) CanPay() bool {
	return c.PaymentMethod != "" && (c.PaymentDetails.PaymentMethodToken != "" || c.PaymentDetails.PhoneNumber != "")
}

// MobileMoney begins every payment method that takes money from a mobile money wallet; the operator follows.
const MobileMoney = "mobile_money_"

// AsksPayer reports whether the payer confirms each payment. Every operator of mobile money asks: money in a wallet is
// never taken without its owner's PIN.
func (c Customer) AsksPayer() bool {
	return c.CanPay() && strings.HasPrefix(c.PaymentMethod, MobileMoney)
}
