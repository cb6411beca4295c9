package conformance

import (
	"perennial/billing/money"
	"perennial/providers"
)

// Subject is one adapter wired to a simulated provider of its own.
type Subject struct {
	Rig         *Rig
	Factory     providers.Factory
	Provider    providers.Provider
	Unreachable providers.Provider // pointed at a port without a listener
	WrongKey    providers.Provider // with credentials that the provider does not know
	ChargePath  string             // method and path of a charge ("POST /v1/payment_intents"): where faults strike
	// CompletePath is the path of a completion; empty: the provider has none.
	CompletePath string
	UnknownRef   string           // a well-formed reference that the provider does not know
	Price        Price            // any amount the provider takes
	Prices       []Edge           // where the provider's units differ from ISO's
	Currencies   []money.Currency // whose limits are tried out
	Methods      Methods
	// MethodFor is a good payment method for a currency; nil: Methods.OK takes every currency.
	MethodFor func(money.Currency) providers.Method
	Declines  []Decline
	Protocol  Protocol
	Secrets   []string // must appear in nothing that an adapter returns
}

// Protocol has the differences between providers that are not in the adapter's Capabilities. The zero value is a
// provider that forgets keys after a while, binds them to parameters, and signs the raw body of a callback with its
// time.
type Protocol struct {
	KeysKept             bool // an operation's key is never forgotten
	KeysBindNothing      bool // the provider does not compare the parameters of a repeat
	NoDisputes           bool
	NoInquiries          bool // a dispute takes the money from its beginning
	NoRefundList         bool // the refunds of a charge cannot be listed
	NoRefundByKey        bool // a refund is found by its reference only
	SearchesTransactions bool // a look-up without reference is a search for our transaction ID
	SignsFields          bool // a callback's signature is in its body and covers some fields
	Untimed              bool // a callback's signature does not grow old
	NoInvoice            bool // our invoice's ID does not reach the provider
}

// Price is an amount with its currency.
type Price struct {
	Amount   money.Minor
	Currency money.Currency
}

// Edge is a price and the amount that must reach the provider for it; empty if the adapter must refuse it.
type Edge struct {
	Price
	Wire string
}

// Decline is a payment method that is refused, and why.
type Decline struct {
	Name   string
	Method providers.Method
	Code   providers.FailureCode
}

// Methods are payment methods by their effect at the simulated provider. Those after Pending may be absent: then their
// scenarios do not apply to this provider.
type Methods struct {
	OK             providers.Method // succeeds, at once or within seconds
	Pending        providers.Method // until Rig.Settle
	NeedsCustomer  providers.Method // an authentication in the payer's absence
	AsksPayer      providers.Method // a page where the payer confirms, until Rig.Settle
	Missing        providers.Method // a token the provider does not know
	ErrorCaptured  providers.Method // captures, then answers 500, to repeats too
	RefundPending  providers.Method // captures; its refunds wait for Rig.SettleRefund
	RefundReversed providers.Method // captures; its refunds succeed and can be returned by Rig.SettleRefund
}
