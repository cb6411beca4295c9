package flutterwavesim

import (
	"slices"

	"perennial/providers/simulator/core"
)

// record has the changes of one line of the ledger: the objects after it.
type record struct {
	Charge     *charge     `json:"charge,omitempty"`
	Chargeback *chargeback `json:"chargeback,omitempty"`
	Refund     *refund     `json:"refund,omitempty"`
	Script     *script     `json:"script,omitempty"`
}

// script is a payment method (pmd_…), a customer (cus_…) or a phone number that shall behave so.
type script struct {
	Token     string `json:"token"`
	Customer  string `json:"customer,omitempty"` // the script holds for this customer only
	Behaviour string `json:"behaviour"`          // empty removes the script
}

func (s script) name() string { return s.Customer + "/" + s.Token }

// The kinds of lines that move no money.
const (
	chargeChanged     = "charge"
	chargebackChanged = "chargeback"
	refundChanged     = "refund_state"
	scripted          = "script"
)

// state is the provider's memory, always the sum of the ledger's lines.
type state struct {
	charges     ordered[*charge]
	chargebacks ordered[*chargeback]
	refunds     ordered[*refund]
	scripts     map[string]script
}

// ordered keeps objects by ID and in the order of their creation.
type ordered[T any] struct {
	byID map[string]T
	ids  []string
}

func (o *ordered[T]) put(id string, v T) {
	if o.byID == nil {
		o.byID = map[string]T{}
	}
	if _, known := o.byID[id]; !known {
		o.ids = append(o.ids, id)
	}
	o.byID[id] = v
}

// newest lists the wanted objects, the newest first.
func (o *ordered[T]) newest(wanted func(T) bool) (list []T) {
	for _, id := range slices.Backward(o.ids) {
		if v := o.byID[id]; wanted(v) {
			list = append(list, v)
		}
	}
	return list
}

func newState() *state { return &state{scripts: map[string]script{}} }

func (st *state) apply(rec *record) {
	if rec.Charge != nil {
		st.charges.put(rec.Charge.ID, rec.Charge)
	}
	if rec.Refund != nil {
		st.refunds.put(rec.Refund.ID, rec.Refund)
	}
	if rec.Chargeback != nil {
		st.chargebacks.put(rec.Chargeback.ID, rec.Chargeback)
	}
	switch s := rec.Script; {
	case s == nil:
	case s.Behaviour == "":
		delete(st.scripts, s.name())
	default:
		st.scripts[s.name()] = *s
	}
}

// charge finds a charge by its ID, or the newest one of a transaction of ours.
func (st *state) charge(ref string) *charge {
	if c := st.charges.byID[ref]; c != nil {
		return c
	}
	for _, c := range st.charges.newest(func(c *charge) bool { return ref != "" && c.Meta["txn_id"] == ref }) {
		return c
	}
	return nil
}

// scriptOf returns the scripted behaviour: a script for both wins over one for the customer, that over one for the
// token.
func (st *state) scriptOf(customer, token string) (behaviour, bool) {
	for _, name := range []string{customer + "/" + token, "/" + customer, "/" + token} {
		if s, found := st.scripts[name]; found {
			return behaviourNamed(s.Behaviour) // checked when the script was set
		}
	}
	return behaviour{}, false
}

// moves are the kinds of lines that enter the books.
var moves = map[string]bool{
	core.Capture: true, core.Refunded: true, core.RefundReturned: true, core.DisputeWithdrawn: true,
	core.DisputeReturned: true,
}
