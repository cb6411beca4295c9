package stripesim

// record has the changes of one line of the ledger: the objects after it.
type record struct {
	Card     *card     `json:"card,omitempty"`
	Customer *customer `json:"customer,omitempty"`
	Dispute  *dispute  `json:"dispute,omitempty"`
	Intent   *intent   `json:"intent,omitempty"`
	Refund   *refund   `json:"refund,omitempty"`
}

// The kinds of lines that move no money.
const (
	cardChanged     = "card"
	customerCreated = "customer"
	disputeChanged  = "dispute_state"
	intentChanged   = "intent"
	refundChanged   = "refund_state"
)

// state is the provider's memory, always the sum of the ledger's lines.
type state struct {
	byTransaction map[string][]string // metadata txn_id → intents, oldest first
	cards         map[string]card
	customers     map[string]*customer
	disputeOrder  []string
	disputes      map[string]*dispute
	intents       map[string]*intent
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
		refunds:       map[string]*refund{},
	}
}

func (st *state) apply(rec *record) {
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
}

func (st *state) putIntent(pi *intent) {
	if _, known := st.intents[pi.ID]; !known {
		txn := pi.Metadata["txn_id"]
		st.byTransaction[txn] = append(st.byTransaction[txn], pi.ID)
	}
	st.intents[pi.ID] = pi
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

// payment finds an intent by its ID, or the newest one of a transaction of ours.
func (st *state) payment(ref string) *intent {
	if pi := st.intents[ref]; pi != nil {
		return pi
	}
	if ids := st.byTransaction[ref]; ref != "" && len(ids) > 0 {
		return st.intents[ids[len(ids)-1]]
	}
	return nil
}
