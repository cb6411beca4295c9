package pawapay

import (
	"context"

	"perennial/providers"
)

// LookupRefund reads the refund, by the reference or by the key of the send. Errors as for LookupCharge.
func (p *PawaPay) LookupRefund(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	return p.lookupBy(ctx, refunds, in)
}
