package adyen

import (
	"context"
	"net/url"
	"time"

	"perennial/providers"
)

// reverseTimeout bounds the clean-up, which must not hold up the answer it follows.
const reverseTimeout = 5 * time.Second

// giveBackPart reverses a partial authorisation, captured or not: an invoice is paid whole or not at all. The charge is
// declined once Adyen has taken the reversal. Until then it is unknown, so that a repeat under the charge's key finds
// the part again and gives it back.
func (a *Adyen) giveBackPart(ctx context.Context, transactionID, key string, res providers.Result) providers.Result {
	if res.Ref == "" {
		return res
	}
	ctx, stop := context.WithTimeout(ctx, reverseTimeout)
	defer stop()
	request := modificationRequest{
		MerchantAccount: a.merchantAccount,
		Reference:       newReference(transactionID, opReversal, key).String(),
	}
	x := a.post(ctx, "/payments/"+url.PathEscape(res.Ref)+"/reversals", request, derivedKey("reversal", key))
	if _, ok := x.modification(); !ok {
		res.Ref, res.RetryAfter = "", max(res.RetryAfter, repeatWait)
		return res
	}
	res.Outcome, res.FailureCode = providers.Declined, providers.InsufficientFunds
	return res
}
