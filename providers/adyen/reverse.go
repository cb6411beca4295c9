package adyen

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"time"

	"perennial/providers"
)

// reverseTimeout bounds the clean-up, which must not hold up the answer it follows.
const reverseTimeout = 5 * time.Second

// giveBackPart reverses a partial authorisation, captured or not: an invoice is paid whole or not at all. The charge is
// declined once Adyen has taken the reversal. Until then it is unknown, so that a repeat under the charge's key finds
// the part again and gives it back.
func (a *Adyen) giveBackPart(ctx context.Context, in providers.ChargeRequest, res providers.Result) providers.Result {
	if res.Ref == "" {
		return res
	}
	ctx, stop := context.WithTimeout(ctx, reverseTimeout)
	defer stop()
	request := modificationRequest{
		MerchantAccount: a.merchantAccount,
		Reference:       newReference(in.TransactionID, opReversal, in.Key).String(),
	}
	sum := sha256.Sum256([]byte("reversal of " + in.Key))
	x := a.post(ctx, "/payments/"+url.PathEscape(res.Ref)+"/reversals", request, hex.EncodeToString(sum[:])[:36])
	if _, ok := x.modification(); !ok {
		res.Ref, res.RetryAfter = "", max(res.RetryAfter, repeatWait)
		return res
	}
	res.Outcome, res.FailureCode = providers.Declined, providers.InsufficientFunds
	return res
}
