package flutterwave

import (
	"context"

	"perennial/providers"
)

// CancelCharge returns the state of the charge: Flutterwave documents no call that cancels one. Errors as for
// LookupCharge.
func (f *Flutterwave) CancelCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	in.Since = false
	return f.LookupCharge(ctx, in)
}
