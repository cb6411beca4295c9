package pawapay

import (
	"context"

	"perennial/providers"
)

// CancelCharge only returns the state of the charge: pawaPay cannot withdraw a prompt, and an unanswered one ends on
// its own.
func (p *PawaPay) CancelCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	return p.LookupCharge(ctx, in)
}
