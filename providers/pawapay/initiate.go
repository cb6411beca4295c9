package pawapay

import (
	"context"
	"net/http"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/providers"
)

// kind is one of the two operations that move money. They share their protocol.
type kind struct {
	path string
	id   func(record) string
}

var (
	deposits = kind{path: "/v2/deposits", id: func(r record) string { return r.DepositID }}
	refunds  = kind{path: "/v2/refunds", id: func(r record) string { return r.RefundID }}
)

// order is an operation to begin, with the properties that an existing one under its ID must have.
type order struct {
	id            string
	transactionID string
	amount        money.Minor
	currency      money.Currency
	body          any
}

// initiate begins an operation once, however often it is sent.
func (p *PawaPay) initiate(ctx context.Context, k kind, o order) (providers.Result, error) {
	x := p.post(ctx, k.path, o.body)
	res := p.result(x)
	answer, ok := decode[record](x)
	if !ok || x.status >= http.StatusInternalServerError {
		return p.unanswered(res, x, moving), nil
	}
	code, message := answer.why()
	switch {
	case answer.Status == "ACCEPTED" && x.status < http.StatusMultipleChoices:
		res.Outcome, res.Ref = providers.Pending, o.id
		res.ConfirmURL = answer.AuthorizationURL
		return res, nil
	case answer.Status == "DUPLICATE_IGNORED" && x.status < http.StatusMultipleChoices:
		return p.repeated(ctx, k, o, res)
	case answer.Status == "REJECTED", code != "":
		return p.rejected(ctx, k, o, p.refusal(res, x, code, message))
	}
	return p.unanswered(res, x, moving), nil
}

// repeated answers a key that pawaPay knows with the outcome of its first use. The operation surely exists, even where
// the look-up fails.
func (p *PawaPay) repeated(ctx context.Context, k kind, o order, accepted providers.Result) (providers.Result, error) {
	found, err := p.lookup(ctx, k, o.id, o.transactionID)
	if err != nil {
		return found, err
	}
	if found.Ref == "" {
		accepted.Outcome, accepted.Ref = providers.Pending, o.id
		return accepted, nil
	}
	if found.Currency != "" && (found.Amount != o.amount || found.Currency != o.currency) {
		return found, fault.New(fault.Conflict, "provider_key_reused",
			"The idempotency key was used before for %s, not for %s. Look up its first use before any other action.",
			money.Format(found.Amount, found.Currency), money.Format(o.amount, o.currency))
	}
	return found, nil
}

// rejected makes sure that a final refusal is about the operation and not only about its repeat: pawaPay does not
// document whether it looks for a duplicate before it checks a request, and an earlier send may have been accepted.
func (p *PawaPay) rejected(ctx context.Context, k kind, o order, refusal providers.Result) (providers.Result, error) {
	if !refusal.Outcome.Final() {
		return refusal, nil
	}
	found, err := p.lookup(ctx, k, o.id, o.transactionID)
	switch {
	case err != nil || found.Ref != "":
		return found, err
	case found.Outcome == providers.NotFound:
		return refusal, nil
	}
	refusal.Outcome = providers.Unknown
	return refusal, nil
}
