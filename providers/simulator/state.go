package simulator

import (
	"encoding/json"
	"slices"
	"time"
)

// kind says what a ledger line records. Kinds that moved money, or made sure that none will, appear in the list that
// /_simulator/ledger gives.
type kind string

const (
	capture        kind = "capture"
	refunded       kind = "refund"
	refundReversed kind = "refund_reversed" // a refund that had succeeded came back
	canceled       kind = "cancel"
	// A bank's: the money of a dispute, and the same given back.
	disputeWithdrawn  kind = "dispute_withdrawn"
	disputeReinstated kind = "dispute_reinstated"

	cardChanged     kind = "card"
	customerCreated kind = "customer"
	disputeChanged  kind = "dispute_state"
	intentChanged   kind = "intent"
	keysForgotten   kind = "keys_forgotten"
	keyUsed         kind = "key"
	refundChanged   kind = "refund_state"
)

var moving = []kind{capture, refunded, refundReversed, canceled, disputeWithdrawn, disputeReinstated}

func (k kind) movesMoney() bool { return slices.Contains(moving, k) }

// record is one line of the ledger: the objects as they are after the change, and the idempotency key whose answer it
// was. They share a line because they must survive or vanish together: a capture without its key would be charged
// again by an honest client.
type record struct {
	Kind     kind      `json:"kind"`
	At       time.Time `json:"at"`
	Card     *card     `json:"card,omitempty"`
	Customer *customer `json:"customer,omitempty"`
	Dispute  *dispute  `json:"dispute,omitempty"`
	Intent   *intent   `json:"intent,omitempty"`
	Key      *usedKey  `json:"key,omitempty"`
	Refund   *refund   `json:"refund,omitempty"`
}

// usedKey is what an idempotency key is remembered by.
type usedKey struct {
	Key         string          `json:"key"`
	Fingerprint string          `json:"fingerprint"`
	At          time.Time       `json:"at"`
	Status      int             `json:"status"`
	Body        json.RawMessage `json:"body"`
}

// state is the provider's memory, always the sum of the ledger's lines.
type state struct {
	byTransaction map[string][]string // metadata txn_id → intents, oldest first
	cards         map[string]card
	customers     map[string]*customer
	disputeOrder  []string
	disputes      map[string]*dispute
	intents       map[string]*intent
	keys          map[string]*usedKey
	movements     []Movement
	pending       map[string]bool // intents that settle by themselves
	refundOrder   []string
	refunds       map[string]*refund
}

func newState() *state {
	return &state{
		byTransaction: map[string][]string{},
		cards:         map[string]card{},
		customers:     map[string]*customer{},
		disputes:      map[string]*dispute{},
		intents:       map[string]*intent{},
		keys:          map[string]*usedKey{},
		pending:       map[string]bool{},
		refunds:       map[string]*refund{},
	}
}

// apply is the only place that changes the state, both while serving and while reading the ledger back.
func (st *state) apply(rec record) {
	if rec.Intent != nil {
		st.putIntent(rec.Intent)
	}
	if rec.Refund != nil {
		st.putRefund(rec.Refund)
	}
	if rec.Dispute != nil {
		st.putDispute(rec.Dispute)
	}
	if rec.Card != nil {
		st.putCard(*rec.Card)
	}
	if rec.Customer != nil {
		st.customers[rec.Customer.ID] = rec.Customer
	}
	if rec.Kind == keysForgotten {
		st.keys = map[string]*usedKey{}
	}
	if rec.Key != nil {
		st.keys[rec.Key.Key] = rec.Key
	}
	if rec.Kind.movesMoney() {
		st.movements = append(st.movements, movement(rec))
	}
}

func (st *state) putIntent(pi *intent) {
	if _, known := st.intents[pi.ID]; !known {
		txn := pi.Metadata["txn_id"]
		st.byTransaction[txn] = append(st.byTransaction[txn], pi.ID)
	}
	st.intents[pi.ID] = pi
	if pi.SettleAt != nil && pi.Status == processing {
		st.pending[pi.ID] = true
	} else {
		delete(st.pending, pi.ID)
	}
}

func (st *state) putRefund(r *refund) {
	if _, known := st.refunds[r.ID]; !known {
		st.refundOrder = append(st.refundOrder, r.ID)
	}
	st.refunds[r.ID] = r
}

func (st *state) putDispute(d *dispute) {
	if _, known := st.disputes[d.ID]; !known {
		st.disputeOrder = append(st.disputeOrder, d.ID)
	}
	st.disputes[d.ID] = d
}

func (st *state) putCard(c card) {
	if c.Behaviour == "" {
		delete(st.cards, c.name())
		return
	}
	st.cards[c.name()] = c
}
