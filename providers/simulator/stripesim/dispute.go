package stripesim

import (
	"net/http"
	"slices"
	"time"

	"perennial/providers/simulator/core"
)

// dispute as the ledger keeps it; never changed in place.
type dispute struct {
	ID       string    `json:"id"`
	Amount   int64     `json:"amount"`
	Charge   string    `json:"charge"`
	Created  time.Time `json:"created"`
	Currency string    `json:"currency"`
	Intent   string    `json:"intent"`
	Live     bool      `json:"live"`
	Moves    []int64   `json:"moves,omitempty"` // of the account's balance: withdrawn, then perhaps reinstated
	Status   string    `json:"status"`
}

// The statuses of a dispute that the simulator uses.
const (
	needsResponse = "needs_response"
	inquiry       = "warning_needs_response"
	inquiryClosed = "warning_closed"
	won           = "won"
	lost          = "lost"
)

func (d *dispute) render() map[string]any {
	moves := []any{}
	for _, amount := range d.Moves {
		moves = append(moves, map[string]any{
			"object": "balance_transaction", "amount": amount, "currency": d.Currency, "fee": 1500, "type": "adjustment",
		})
	}
	return map[string]any{
		"id": d.ID, "object": "dispute", "amount": d.Amount, "balance_transactions": moves, "charge": d.Charge,
		"created": d.Created.Unix(), "currency": d.Currency, "is_charge_refundable": d.Status == inquiry, "livemode": d.Live,
		"metadata": map[string]string{}, "payment_intent": d.Intent, "reason": "fraudulent", "status": d.Status,
	}
}

// openDispute has the payer's bank object to a captured charge. An inquiry moves no money.
func (s *Dialect) openDispute(pi *intent, amount int64, asInquiry bool) (*dispute, *core.Effect) {
	d := &dispute{
		ID: newID("du_"), Amount: amount, Charge: pi.Charge, Created: s.server.Now().UTC(), Currency: pi.Currency,
		Intent: pi.ID, Live: pi.Live, Status: needsResponse, Moves: []int64{-amount},
	}
	kind, events := core.DisputeWithdrawn, []string{"charge.dispute.created", "charge.dispute.funds_withdrawn"}
	if asInquiry {
		d.Status, d.Moves, kind, events = inquiry, nil, disputeChanged, events[:1]
	}
	return d, effect(kind, &record{Intent: pi, Dispute: d}, s.about(d, events...)...)
}

// closeDispute has the bank decide.
func (s *Dialect) closeDispute(d *dispute, wins bool) (*dispute, *core.Effect) {
	next, kind, events := *d, disputeChanged, []string{"charge.dispute.closed"}
	next.Status = lost
	if wins {
		next.Status = won
	}
	switch {
	case d.Status == inquiry && wins:
		next.Status = inquiryClosed
	case wins:
		next.Moves = append(slices.Clone(d.Moves), d.Amount)
		kind, events = core.DisputeReturned, append(events, "charge.dispute.funds_reinstated")
	case len(d.Moves) == 0: // an inquiry that is lost takes the money now
		next.Moves = []int64{-d.Amount}
		kind, events = core.DisputeWithdrawn, append(events, "charge.dispute.funds_withdrawn")
	}
	rec := &record{Intent: s.state.intents[d.Intent], Dispute: &next}
	return &next, effect(kind, rec, s.about(&next, events...)...)
}

func (s *Dialect) about(d *dispute, names ...string) (events []core.Message) {
	for _, name := range names {
		events = append(events, s.event(name, d.Live, d.render(), true))
	}
	return events
}

// listDisputes pages through all disputes, or the disputes of one intent, newest first.
func listDisputes(s *Dialect, c *core.Call) core.Answer {
	after, of := input(c).Get("starting_after"), input(c).Get("payment_intent")
	if after != "" && s.state.disputes[after] == nil {
		return missing(http.StatusBadRequest, "starting_after", "dispute", after)
	}
	data, more, begun := []any{}, false, after == ""
	for _, id := range slices.Backward(s.state.disputeOrder) {
		d := s.state.disputes[id]
		if d.Live != c.Live || (of != "" && d.Intent != of) {
			continue
		}
		if begun && len(data) == limit(c) {
			more = true
			break
		}
		if begun {
			data = append(data, d.render())
		}
		begun = begun || id == after
	}
	return ok(map[string]any{"object": "list", "url": "/v1/disputes", "has_more": more, "data": data})
}
