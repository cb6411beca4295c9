package scene

import (
	"context"

	"perennial/billing/paymethod"
	"perennial/providers"
)

// Supports implements providers.Provider: any method renews unattended.
func (p *Provider) Supports(context.Context, providers.Method) paymethod.Support {
	return paymethod.Support{Accepted: true, Renewal: paymethod.RenewalUnattended}
}
