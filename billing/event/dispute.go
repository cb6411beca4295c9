package event

// The types about disputes.
const (
	TypeDisputeCreated Type = "dispute.created"
	TypeDisputeUpdated Type = "dispute.updated"
	TypeDisputeClosed  Type = "dispute.closed"
)

// Dispute has the fields of all events about a dispute.
type Dispute struct {
	ID              string `json:"id" doc:"The dispute."`
	ChargeID        string `json:"chargeId" doc:"The payment transaction that is disputed."`
	CustomerID      string `json:"customerId" doc:"The customer."`
	SubscriptionID  string `json:"subscriptionId,omitempty" doc:"The subscription."`
	InvoiceID       string `json:"invoiceId,omitempty" doc:"The invoice that the charge was for."`
	Reference       string `json:"reference" doc:"The provider's own id of the dispute."`
	Stage           string `json:"stage,omitempty" doc:"inquiry, chargeback or arbitration."`
	Status          string `json:"status" doc:"open, under_review, won or lost."`
	Reason          string `json:"reason,omitempty" doc:"The payer's reason, as the provider's code. Absent: unknown."`
	Amount          int64  `json:"amount" doc:"What the dispute is about, in minor units of the currency."`
	Currency        string `json:"currency" doc:"ISO 4217 code."`
	AmountWithdrawn int64  `json:"amountWithdrawn" doc:"What the bank holds of it now, or has taken for good, in minor units."`
	EvidenceDueAt   int64  `json:"evidenceDueAt,omitempty" doc:"Until when the dispute can be answered at the provider, in Unix seconds. Absent: unknown."`
}

func (d Dispute) about() about { return about{d.ID, d.CustomerID, d.SubscriptionID} }

// DisputeCreated means that a payer objects to a charge at the bank. One that is known only by its end is closed at
// once.
type DisputeCreated struct{ Dispute }

// DisputeUpdated means that something about a dispute has changed, other than its end.
type DisputeUpdated struct{ Dispute }

// DisputeClosed means that the bank has decided a dispute. It is sent again where an end is overturned.
type DisputeClosed struct{ Dispute }

// Type implements Data.
func (DisputeCreated) Type() Type { return TypeDisputeCreated }

// Type implements Data.
func (DisputeUpdated) Type() Type { return TypeDisputeUpdated }

// Type implements Data.
func (DisputeClosed) Type() Type { return TypeDisputeClosed }
