package adyen

import (
	"context"

	"perennial/providers"
)

// LookupCharge returns Unknown: Adyen has no such question. Capabilities say so; repeat the charge under its key.
func (*Adyen) LookupCharge(context.Context, providers.LookupRequest) (providers.Result, error) {
	return unaskable(), nil
}

// LookupRefund returns Unknown, as LookupCharge does.
func (*Adyen) LookupRefund(context.Context, providers.LookupRequest) (providers.Result, error) {
	return unaskable(), nil
}

func unaskable() providers.Result {
	return providers.Result{
		Outcome:       providers.Unknown,
		FailureReason: "Adyen cannot be asked about a payment; its webhooks report the outcome",
	}
}
