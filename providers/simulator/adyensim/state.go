package adyensim

import "time"

// payment as the ledger keeps it; never changed in place. Its status is the resultCode, or what became of it.
type payment struct {
	PSP         string     `json:"psp"`
	Account     string     `json:"account"`
	Reference   string     `json:"reference"`
	Value       int64      `json:"value"` // authorised, in Adyen's units
	Currency    string     `json:"currency"`
	Shopper     string     `json:"shopper"`
	Description string     `json:"description,omitempty"`
	Status      string     `json:"status"`
	Refunded    int64      `json:"refunded,omitempty"` // also what waits for the bank
	Refunds     string     `json:"refunds,omitempty"`  // how refunds of it go
	SettleAt    *time.Time `json:"settle_at,omitempty"`
	SettleTo    string     `json:"settle_to,omitempty"`

	// Of one that waits for its payer: the address to which the page sends the browser, the parameter that it appends,
	// and the payer's decision there.
	ReturnURL      string `json:"return_url,omitempty"`
	RedirectResult string `json:"redirect_result,omitempty"`
	Confirmed      bool   `json:"confirmed,omitempty"`
}

// Adyen's result codes that the simulator uses; expired and canceled come later.
const (
	resultAuthorised = "Authorised"
	resultCancelled  = "Cancelled"
	resultError      = "Error"
	resultPartial    = "PartiallyAuthorised"
	resultPending    = "Pending"
	resultRedirect   = "RedirectShopper"
	resultRefused    = "Refused"
)

func (p *payment) captured() bool { return p.Status == resultAuthorised || p.Status == resultPartial }

func (p *payment) undecided() bool {
	return p.Status == resultPending || p.Status == "Received" || p.Status == resultRedirect
}

// refund as the ledger keeps it. Reference is the caller's, or the payment's where a person made it.
type refund struct {
	PSP       string `json:"psp"`
	Payment   string `json:"payment"`
	Reference string `json:"reference"`
	Value     int64  `json:"value"`
	Status    string `json:"status"` // received, succeeded, failed
}

type dispute struct {
	PSP     string `json:"psp"`
	Payment string `json:"payment"`
	Value   int64  `json:"value"`
	Inquiry bool   `json:"inquiry,omitempty"`
	Closed  bool   `json:"closed,omitempty"`
}

type script struct {
	Name      string `json:"name"`
	Behaviour string `json:"behaviour"`
}

// record is one change: the objects as they are afterwards.
type record struct {
	Payment *payment `json:"payment,omitempty"`
	Refund  *refund  `json:"refund,omitempty"`
	Dispute *dispute `json:"dispute,omitempty"`
	Script  *script  `json:"script,omitempty"`
}

type state struct {
	payments   map[string]*payment
	references map[string]string // our reference → pspReference
	refunds    map[string]*refund
	disputes   map[string]*dispute
	scripts    map[string]string
}

func newState() *state {
	return &state{
		payments: map[string]*payment{}, references: map[string]string{}, refunds: map[string]*refund{},
		disputes: map[string]*dispute{}, scripts: map[string]string{},
	}
}

func (st *state) apply(rec *record) {
	if rec.Payment != nil {
		st.payments[rec.Payment.PSP] = rec.Payment
		st.references[rec.Payment.Reference] = rec.Payment.PSP
	}
	if rec.Refund != nil {
		st.refunds[rec.Refund.PSP] = rec.Refund
	}
	if rec.Dispute != nil {
		st.disputes[rec.Dispute.PSP] = rec.Dispute
	}
	if rec.Script != nil {
		st.scripts[rec.Script.Name] = rec.Script.Behaviour
		if rec.Script.Behaviour == "" {
			delete(st.scripts, rec.Script.Name)
		}
	}
}

// payment finds one by either reference; of ours the transaction is enough.
func (st *state) payment(ref string) *payment {
	if p := st.payments[ref]; p != nil {
		return p
	}
	if psp := st.references[ref]; psp != "" {
		return st.payments[psp]
	}
	var found *payment
	for reference, psp := range st.references {
		p := st.payments[psp]
		if transactionOf(reference) == ref && ref != "" && (found == nil || found.Status == resultRefused) {
			found = p // a payment that asks the payer follows one that was refused
		}
	}
	return found
}

func (st *state) refund(ref string) *refund {
	if r := st.refunds[ref]; r != nil {
		return r
	}
	for _, r := range st.refunds {
		if ref != "" && transactionOf(r.Reference) == ref {
			return r
		}
	}
	return nil
}
