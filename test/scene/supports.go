package scene

import (
	"context"

	"perennial/providers"
)

// Supports implements providers.Provider: any method renews unattended.
func (p *Provider) Supports(context.Context, providers.Method) providers.MethodSupport {
	return providers.MethodSupport{Accepted: true, Renewal: providers.RenewalUnattended}
}
