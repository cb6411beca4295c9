package charging

import (
	"time"

	"perennial/billing/answer"
	"perennial/billing/payment"
)

// Concern has the transaction that an answer is about, and the other rows that its consequences depend on.
type Concern struct {
	Transaction payment.Transaction // under the account that the answer is about
	// Recovered: the success of its own that another capture of the charge became is needed. One of a canceled charge is
	// always read.
	Recovered bool
	// Sends: all sends of the transaction are needed, since the provider does not know the one that it was asked about.
	Sends bool
	// Failed: the operations that messages said failed are needed, since one of a refund is said to have gone through,
	// and messages may come in any order.
	Failed bool
}

// Concerns returns what an answer to the step is about; t is the transaction as its present row. A charge that was
// never sent shows the account of the step. Where the step asked about an earlier send, a callback had named its
// account, whichever account refused the charge last.
func (s Step) Concerns(t payment.Transaction, said answer.Answer) Concern {
	if !t.EverSent() && s.Earlier == nil {
		t.Provider, t.ProviderConfigID = s.Transaction.Provider, s.Transaction.ProviderConfigID
	}
	another := t.Status == payment.Success && said.Ref != "" && said.Ref != t.ProviderRef
	return Concern{
		Transaction: t, Recovered: s.Earlier != nil || another, Sends: said.Outcome == answer.NotFound,
		Failed: t.Type == payment.Refund && said.Outcome == answer.Succeeded && s.Move == payment.MoveBelieve,
	}
}

// ConcernsRefunds reports whether an answer is about refunds of a charge, or takes its capture back, so that its
// consequences depend on all booked refunds. captured is the transaction that books the money of the charge.
func ConcernsRefunds(captured payment.Transaction, said answer.Answer) bool {
	takenBack := captured.Status == payment.Success && said.Outcome.Final() && said.Outcome != answer.Succeeded
	return len(said.Refunds) > 0 || len(said.Disputes) > 0 || takenBack
}

// Coverage says which pending callbacks about a transaction are finished. The zero value covers none.
type Coverage struct {
	AccountID string // only callbacks of this account, an earlier send's; empty: of the current one
	// of the operations that were looked at; a callback without a reference has the empty one
	Refs  []string
	Until time.Time // when callbacks about Refs may have been received
	// the provider answered; else callbacks with evidence stay open, each until it is believed
	Asked bool
	Shows []payment.MessageKind // kinds that the transaction shows, whenever a callback said so
}

// Covers returns the callbacks that the answer to the step covers. lookedAt are the operations that it looked at, by
// what recording.Record found; t is the transaction after that; asked is when the exchange began. It covers callbacks
// of an earlier send's account only if that was looked at, and then none of the current account, whose messages are
// another matter.
func (s Step) Covers(t payment.Transaction, lookedAt []string, asked time.Time, said answer.Outcome) Coverage {
	c := Coverage{Refs: lookedAt, Until: coveredUntil(asked, said), Asked: s.Asks()}
	switch {
	case s.Earlier == nil:
		c.Shows = t.Shows()
	case len(lookedAt) == 0:
		return Coverage{}
	default:
		c.AccountID = s.Earlier.ProviderConfigID
	}
	return c
}

// CoversUnasked returns which callbacks are covered where there is nothing to ask the provider about. wanted: callbacks
// were the reason to look; t is the transaction as it is.
func CoversUnasked(t payment.Transaction, wanted bool, now time.Time) Coverage {
	c := Coverage{Shows: t.Shows()}
	if wanted {
		c.Refs, c.Until = []string{"", t.ProviderRef}, now
	}
	return c
}

// unknownThere is the time for which a provider may send callbacks about an operation before its look-ups find it.
const unknownThere = 10 * time.Minute

// coveredUntil returns until when callbacks may have been received that a look-up which began at asked covers.
func coveredUntil(asked time.Time, said answer.Outcome) time.Time {
	if said == answer.NotFound {
		return asked.Add(-unknownThere)
	}
	return asked
}
