// Package providers owns the port through which money moves: one interface that each payment provider's adapter
// implements, and the vocabulary of outcomes. It does not own the effect of an outcome on an invoice
// (billing/collection) nor when a call is made (activities).
package providers

import (
	"context"
	"time"

	"perennial/billing/paymethod"
)

// Provider is one account at a payment provider, in one mode. Outcomes, declines and time-outs are Results; an error
// means that the request itself was impossible (a bug, a currency the provider cannot represent, or a method it cannot
// charge, see MethodFault: a fault.Invalid). It is safe for concurrent use.
type Provider interface {
	// Name is the identifier of the provider in the API ("stripe").
	Name() string
	Capabilities() Capabilities
	// Supports returns the account's support of a payment method. It may read the account's activated configuration
	// from the provider, of which it keeps a copy of bounded age; while the provider is not available it returns what
	// Factory.Supports does.
	Supports(ctx context.Context, method Method) paymethod.Support
	Charge(ctx context.Context, in ChargeRequest) (Result, error)
	// LookupCharge looks up the state of a charge. Where Capabilities exclude the look-up, the Result is Unknown.
	LookupCharge(ctx context.Context, in LookupRequest) (Result, error)
	// CancelCharge asks to cancel a pending charge; the Result has the charge's state afterwards.
	CancelCharge(ctx context.Context, in LookupRequest) (Result, error)
	// CompleteCharge submits the parameters that the payer's browser brought back from the page of Result.ConfirmURL.
	// The same charge and values may be handed over again (Repeat). NotSent: the provider refuses the values, and the
	// charge waits for its payer as before. Where Capabilities exclude it, the Result is Unknown: see SelfCompleting.
	CompleteCharge(ctx context.Context, in CompleteRequest) (Result, error)
	Refund(ctx context.Context, in RefundRequest) (Result, error)
	LookupRefund(ctx context.Context, in LookupRequest) (Result, error)
	// TestConnection checks the credentials and that they belong to the environment. It moves no money.
	TestConnection(ctx context.Context) error
	// ParseCallback verifies a message over its unmodified raw body and returns its contents. now is real time. A
	// forged or stale message is a fault.Unauthorized.
	ParseCallback(ctx context.Context, in CallbackRequest, now time.Time) ([]Callback, Acknowledgement, error)
}
