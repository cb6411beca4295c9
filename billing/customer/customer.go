// Package customer owns the payer and the payment method. All personal data of a customer is in this type and nowhere
// else: events, logs and Temporal payloads carry the ID only.
package customer

import (
	"time"

	"perennial/billing/metadata"
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
	Metadata       metadata.Pairs
	PaymentMethod  string // "card" or mobile_money_<operator>; empty: none
	PaymentDetails PaymentDetails
	TestClockID    string
	ErasedAt       time.Time
	CreatedAt      time.Time
	Revision       int64
}

// CanPay reports whether there is a method to charge.
func (c Customer) CanPay() bool {
	return c.PaymentMethod != "" && (c.PaymentDetails.PaymentMethodToken != "" || c.PaymentDetails.PhoneNumber != "")
}
