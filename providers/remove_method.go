package providers

import (
	"context"
	"net/url"
	"strings"
	"time"
)

// MethodRemover is a Provider that keeps payment methods and can remove them. Those that cannot are no MethodRemover: a
// removed method is only forgotten then, and the provider's own rules say how long it keeps it.
type MethodRemover interface {
	// RemoveMethod removes a stored method, so that the provider charges it no more. It may be repeated without end, and
	// with tokens of other accounts: a method that the account does not have counts as removed.
	RemoveMethod(ctx context.Context, method Method) Removal
}

// Removal is what one attempt to remove a stored method came to.
type Removal struct {
	Removed    bool // the account has no such method any more
	HTTPStatus int
	Reason     string        // where it is not removed, for people: without secrets and tokens
	RetryAfter time.Duration // the provider's advice; zero: none
}

// Without returns a text without the tokens of the method: errors of the network quote the address, which has them.
func (m Method) Without(text string) string {
	for _, token := range []string{m.PaymentMethodToken, m.CustomerToken} {
		if token != "" {
			text = strings.NewReplacer(token, "…", url.PathEscape(token), "…", url.QueryEscape(token), "…").Replace(text)
		}
	}
	return text
}
