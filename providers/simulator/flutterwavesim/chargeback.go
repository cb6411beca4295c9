package flutterwavesim

import (
	"encoding/json"
	"time"

	"perennial/providers/simulator/core"
)

// chargeback as the ledger keeps it; never changed in place.
type chargeback struct {
	ID      string    `json:"id"`
	Amount  int64     `json:"amount"` // ISO minor units
	Charge  string    `json:"charge"`
	Created time.Time `json:"created"`
	Live    bool      `json:"live,omitempty"`
	Status  string    `json:"status"`
}

// The statuses of a chargeback that the simulator uses.
const (
	initiated = "initiated"
	won       = "won"
	lost      = "lost"
)

func (s *Dialect) renderChargeback(b *chargeback) map[string]any {
	currency := ""
	if ch := s.state.charges.byID[b.Charge]; ch != nil {
		currency = ch.Currency
	}
	return map[string]any{
		"id": b.ID, "amount": json.Number(toWire(b.Amount, currency)), "charge_id": b.Charge,
		"comment": "Casey Holder objects", "created_datetime": datetime(b.Created), "stage": "new",
		"due_datetime": datetime(b.Created.Add(48 * time.Hour)), "status": b.Status, "type": "international",
	}
}

func (s *Dialect) listChargebacks(c *core.Call) core.Answer {
	list := s.state.chargebacks.newest(func(b *chargeback) bool { return b.Live == c.Live })
	return page(c, list, func(b *chargeback) time.Time { return b.Created }, s.renderChargeback)
}

// openChargeback has the payer's bank object to a captured charge; the amount is held at once.
func (s *Dialect) openChargeback(ch *charge, amount int64) (*chargeback, *core.Effect) {
	next := *ch
	next.Disputed = true
	b := &chargeback{
		ID: newID("cbk_"), Amount: amount, Charge: ch.ID, Created: s.server.Now().UTC().Truncate(time.Millisecond),
		Live: ch.Live, Status: initiated,
	}
	return b, s.chargebackEffect(core.DisputeWithdrawn, &next, b, "chargeback.created")
}

// closeChargeback has the bank decide.
func (s *Dialect) closeChargeback(b *chargeback, wins bool) (*chargeback, *core.Effect) {
	next, kind := *b, chargebackChanged
	next.Status = lost
	if wins {
		next.Status, kind = won, core.DisputeReturned
	}
	return &next, s.chargebackEffect(kind, s.state.charges.byID[b.Charge], &next, "chargeback.updated")
}

func (s *Dialect) chargebackEffect(kind string, ch *charge, b *chargeback, message string) *core.Effect {
	e := &core.Effect{
		Kind: kind, Change: &record{Charge: ch, Chargeback: b},
		Messages: []core.Message{s.message(message, s.renderChargeback(b), true)},
	}
	if moves[kind] {
		m := movement(kind, ch, b.Amount)
		m.Dispute = b.ID
		e.Movements = []core.Movement{m}
	}
	return e
}
