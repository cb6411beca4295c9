package pawapay

import (
	"context"

	"perennial/providers"
)

// CancelCharge only says how the charge stands: pawaPay cannot take a prompt back, and one that nobody answers ends by
// itself.
func (p *PawaPay) CancelCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	return p.LookupCharge(ctx, in)
}
