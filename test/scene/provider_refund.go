package scene

import (
	"context"
	"net/http"

	"perennial/providers"
)

// Refund implements providers.Provider.
func (p *Provider) Refund(_ context.Context, in providers.RefundRequest) (providers.Result, error) {
	p.note("refund", in.TransactionID, in.Key)
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.keys[in.Key]; ok && p.now().Sub(known.at) < Window {
		return p.current(p.refunded[in.TransactionID], known.result), nil
	}
	p.refunds++
	answer := Capture
	if p.RefundScript != nil {
		answer = p.RefundScript(p.refunds, in)
	}
	op := &operation{
		of: in.ChargeRef, ref: "re_" + in.TransactionID, asked: in.Amount, amount: in.Amount, cur: in.Currency,
		outcome: providers.Succeeded,
	}
	switch answer {
	case Lose:
		return providers.Result{Outcome: providers.Unknown}, nil
	case Refuse:
		return providers.Result{Outcome: providers.NotSent}, nil
	case Limit:
		return providers.Result{Outcome: providers.NotSent, HTTPStatus: http.StatusTooManyRequests}, nil
	case Unauthorized:
		return providers.Result{Outcome: providers.NotSent, HTTPStatus: http.StatusUnauthorized}, nil
	case Decline:
		op.outcome = providers.Failed
	case Pend:
		op.outcome = providers.Pending
	case Capture, Silent, Mischarge, Deny, Reused: // it goes through, whatever the caller hears
	}
	p.refunded[in.TransactionID] = op
	p.keys[in.Key] = remembered{result: op.result(), at: p.now()}
	switch answer {
	case Silent:
		return providers.Result{Outcome: providers.Unknown}, nil
	case Deny:
		return providers.Result{Outcome: providers.NotSent, HTTPStatus: http.StatusTooManyRequests}, nil
	default:
		return op.result(), nil
	}
}

// LookupRefund implements providers.Provider.
func (p *Provider) LookupRefund(_ context.Context, in providers.LookupRequest) (providers.Result, error) {
	p.note("refund_lookup", in.TransactionID, "")
	p.mu.Lock()
	defer p.mu.Unlock()
	if op, ok := p.elsewhere[in.Ref]; ok {
		return op.result(), nil
	}
	return find(p.refunded, in.TransactionID), nil
}
