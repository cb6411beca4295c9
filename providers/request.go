package providers

import (
	"net/url"

	"perennial/billing/money"
)

// Limits say which amounts of a currency a provider takes.
type Limits = money.Limits

// MobileMoney begins the type of every mobile money method; the operator's name follows.
const MobileMoney = "mobile_money_"

// Method is a customer's payment method, from paymentMethod and paymentDetails. Tokens only: a card number never
// reaches us.
type Method struct {
	Type               string // "card" or mobile_money_<operator>
	CustomerToken      string // the provider's customer (Stripe cus_…)
	PaymentMethodToken string // the provider's saved method (Stripe pm_…)
	PhoneNumber        string // international format, mobile money only
}

// ChargeRequest requests money. The same TransactionID and Key must always have the same other fields.
type ChargeRequest struct {
	TransactionID string // our reference, stored at the provider (txn_…)
	Key           string // idempotency key: UUIDv5 of transaction and send
	Amount        money.Minor
	Currency      money.Currency
	Method        Method
	Description   string // shown to the payer; no personal data
	// Repeat: an earlier send under this key may have arrived, so that a refusal of this one proves nothing about it where
	// the provider checks a request before it looks for the key.
	Repeat bool
	// ReturnURL is the address to which a provider may send the payer's browser after a confirmation; empty: the payer
	// is not present.
	ReturnURL string
	// AskedApart: where a payment of its own asks the payer, the payment before it, in the payer's absence, has a
	// reference of its own too. It is false only for sends of builds that gave both the same one: a repeat must be equal
	// to them.
	AskedApart bool
}

// RefundRequest requests a refund of a captured charge.
type RefundRequest struct {
	TransactionID string // of the refund (txn_…)
	Key           string // idempotency key, as in ChargeRequest
	ChargeRef     string // provider's reference of the charge
	Amount        money.Minor
	Currency      money.Currency
	Repeat        bool // as in ChargeRequest
}

// CompleteRequest completes a charge that its payer has confirmed on a page.
type CompleteRequest struct {
	TransactionID string
	Key           string // of the send
	Ref           string // provider's reference of the charge
	// Brought has the parameters of Factory.ReturnParameters from the payer's browser: anyone may have written them,
	// and they are as secret as a credential.
	Brought url.Values
}

// LookupRequest asks for the state of an operation. Ref is the provider's reference where it is known; without it the
// adapter searches by TransactionID or Key, whichever it gave the provider. ChargeRef, only for refunds, is the
// reference of the refunded charge: it makes a search exact where the provider lists refunds by charge.
type LookupRequest struct {
	TransactionID string
	Key           string // of the send that is asked after
	Ref           string
	ChargeRef     string
	Since         bool // of a charge: where it was captured, also list its refunds and disputes
	AskedApart    bool // of the send, as in ChargeRequest
}
