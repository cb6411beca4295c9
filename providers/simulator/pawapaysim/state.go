package pawapaysim

import (
	"maps"
	"regexp"
	"time"

	"github.com/cockroachdb/apd/v3"

	"perennial/billing/money"
	"perennial/providers/simulator/core"
)

// The statuses of a deposit and of a refund.
const (
	accepted         = "ACCEPTED"
	processing       = "PROCESSING"
	inReconciliation = "IN_RECONCILIATION"
	completed        = "COMPLETED"
	failed           = "FAILED"
)

// deposit is never changed in place: a change is a copy in a record. Of the payer's number only the digits that choose
// what happens are kept, so that the ledger holds no personal data.
type deposit struct {
	ID          string            `json:"id"`
	Amount      string            `json:"amount"`
	Currency    string            `json:"currency"`
	Operator    string            `json:"operator"`
	Suffix      string            `json:"suffix"`
	Reference   string            `json:"reference,omitempty"` // clientReferenceId
	Message     string            `json:"message,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	Created     time.Time         `json:"created"`
	Live        bool              `json:"live"`
	Status      string            `json:"status"`
	FailureCode string            `json:"failure_code,omitempty"`
	SettleAt    *time.Time        `json:"settle_at,omitempty"`
	SettleTo    string            `json:"settle_to,omitempty"` // completed, or the code of a failure
}

type refund struct {
	ID          string            `json:"id"`
	Deposit     string            `json:"deposit"`
	Amount      string            `json:"amount"`
	Currency    string            `json:"currency"`
	Reference   string            `json:"reference,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	Created     time.Time         `json:"created"`
	Live        bool              `json:"live"`
	Status      string            `json:"status"`
	FailureCode string            `json:"failure_code,omitempty"`
	SettleAt    *time.Time        `json:"settle_at,omitempty"`
	SettleTo    string            `json:"settle_to,omitempty"`
}

// record has the changes of one line of the ledger: the objects after it.
type record struct {
	Deposit *deposit     `json:"deposit,omitempty"`
	Refund  *refund      `json:"refund,omitempty"`
	Script  *core.Script `json:"script,omitempty"`
}

// The kinds of lines that move no money.
const (
	depositChanged = "deposit"
	refundChanged  = "refund_state"
	scripted       = "script"
)

// state is the provider's memory, always the sum of the ledger's lines.
type state struct {
	byTransaction map[string]string // our reference → the newest deposit
	deposits      map[string]*deposit
	refunds       map[string]*refund
	scripts       map[string]string
}

func newState() *state {
	return &state{
		byTransaction: map[string]string{}, deposits: map[string]*deposit{}, refunds: map[string]*refund{},
		scripts: map[string]string{},
	}
}

func (st *state) apply(rec *record) {
	if rec.Deposit != nil {
		st.deposits[rec.Deposit.ID] = rec.Deposit
		st.byTransaction[rec.Deposit.transaction()] = rec.Deposit.ID
	}
	if rec.Refund != nil {
		st.refunds[rec.Refund.ID] = rec.Refund
	}
	if rec.Script != nil {
		st.scripts[rec.Script.Token] = rec.Script.Behaviour
		if rec.Script.Behaviour == "" {
			delete(st.scripts, rec.Script.Token)
		}
	}
}

// deposit finds one by its ID or by our reference.
func (st *state) deposit(ref string) *deposit {
	if found := st.deposits[ref]; found != nil {
		return found
	}
	return st.deposits[st.byTransaction[ref]]
}

// refundsOf returns the refunds of a deposit that did not fail.
func (st *state) refundsOf(id string) (some []*refund) {
	for r := range maps.Values(st.refunds) {
		if r.Deposit == id && r.Status != failed {
			some = append(some, r)
		}
	}
	return some
}

func (x *deposit) transaction() string { return transactionOf(x.Metadata, x.Reference) }
func (r *refund) transaction() string  { return transactionOf(r.Metadata, r.Reference) }

func transactionOf(metadata map[string]string, reference string) string {
	if id := metadata["txnId"]; id != "" {
		return id
	}
	return reference
}

// minor is a checked amount in ISO minor units.
func minor(amount, currency string) money.Minor {
	d, _, err := apd.NewFromString(amount)
	if err != nil {
		return 0
	}
	n, _ := money.RoundDecimal(d, money.Currency(currency)) // checked when it arrived
	return n
}

var invoiceID = regexp.MustCompile(`\bin_[0-9A-Za-z]+`)

func (x *deposit) movement(kind string) core.Movement {
	return core.Movement{
		Kind: kind, TransactionID: x.transaction(), Charge: x.ID, Amount: int64(minor(x.Amount, x.Currency)),
		WireAmount: x.Amount, Currency: x.Currency, Invoice: invoiceID.FindString(x.Metadata["description"]), Key: x.ID,
		Live: x.Live,
	}
}

func (r *refund) movement(of *deposit) core.Movement {
	m := of.movement(core.Refunded)
	m.TransactionID, m.Refund, m.Key = r.transaction(), r.ID, r.ID
	m.Amount, m.WireAmount = int64(minor(r.Amount, r.Currency)), r.Amount
	return m
}
