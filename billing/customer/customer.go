// Package customer owns the payer and the payment method. Only this type has personal data of a customer: events, logs
// and Temporal payloads carry the ID.
package customer

import (
	"strings"
	"time"

	"perennial/billing/dunning"
	"perennial/billing/metadata"
	"perennial/billing/overdue"
	"perennial/billing/plan"
	"perennial/billing/postal"
	"perennial/billing/tax"
)

// PaymentDetails has provider tokens and a phone number. Card numbers are refused.
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
	Country        string // of the address too; ISO 3166-1 alpha-2; empty: unknown
	Region         string // of the country, as in tax.Definition; empty: unknown
	Locale         string // BCP 47: the language of texts for the customer; empty: unknown
	TimeZone       string // IANA: of times in texts for the customer; empty: unknown
	TaxExempt      tax.Exemption
	TaxIDs         tax.IDs
	Metadata       metadata.Pairs
	PaymentMethod  string // of the default payment method: "card" or mobile_money_<operator>; empty: none
	PaymentDetails PaymentDetails
	// PaymentMethodID names the payment method that the two fields above are of: the default, or in a State the one that
	// the subscription names. Empty: none.
	PaymentMethodID string
	Features        plan.FeatureOverrides // replaces those of plans
	Dunning         *dunning.Policy       // replaces the plan's and the environment's; nil: none
	OverduePolicy   *overdue.Policy       // replaces the environment's; nil: none
	Overdue         overdue.Standing      // written by decisions about invoices only
	TestClockID     string
	ErasedAt        time.Time
	CreatedAt       time.Time
	Revision        int64
}

// TaxPayer returns the facts that decide which tax rates apply to the customer.
func (c Customer) TaxPayer() tax.Payer {
	return tax.Payer{Country: c.Country, Region: c.Region, Exemption: c.TaxExempt, IDs: c.TaxIDs}
}

// CanPay reports whether the customer has a payment method to charge.
func (c Customer) CanPay() bool {
	return c.PaymentMethod != "" && (c.PaymentDetails.PaymentMethodToken != "" || c.PaymentDetails.PhoneNumber != "")
}

// MobileMoney is the prefix of payment methods that take money from a mobile money wallet; the operator follows.
const MobileMoney = "mobile_money_"

// AsksPayer reports whether the payer confirms each payment. Every operator of mobile money asks: the owner's PIN
// protects a wallet.
func (c Customer) AsksPayer() bool {
	return c.CanPay() && strings.HasPrefix(c.PaymentMethod, MobileMoney)
}
