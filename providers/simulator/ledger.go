package simulator

import (
	"regexp"
	"time"
)

// Movement is one line of the provider's books. Amounts are in the provider's own units (Stripe: UGX and ISK times
// 100), because the ledger is what the provider did, not what the caller meant.
type Movement struct {
	// capture, refund, refund_reversed, cancel, dispute_withdrawn, dispute_reinstated
	Kind          string    `json:"kind"`
	At            time.Time `json:"at"`
	Amount        int64     `json:"amount"`
	Currency      string    `json:"currency"`
	Customer      string    `json:"customer,omitempty"`
	Invoice       string    `json:"invoice,omitempty"` // from metadata invoice_id, else found in the description
	Key           string    `json:"key,omitempty"`     // idempotency key of the request that moved the money
	Live          bool      `json:"live"`
	PaymentIntent string    `json:"pi"`
	Refund        string    `json:"refund,omitempty"`
	Dispute       string    `json:"dispute,omitempty"`
	TransactionID string    `json:"txn_id,omitempty"` // metadata txn_id of the charge, or of the refund
}

// Ledger lists what moved, oldest first.
func (s *Server) Ledger() []Movement {
	s.mu.Lock()
	s.settleDue()
	list := append([]Movement{}, s.state.movements...)
	s.mu.Unlock()
	return list
}

var invoiceID = regexp.MustCompile(`\bin_[0-9A-Za-z]+`)

func movement(rec record) Movement {
	pi := rec.Intent
	m := Movement{
		Kind: string(rec.Kind), At: rec.At, Amount: pi.Amount, Currency: pi.Currency, Customer: pi.Customer,
		Invoice: pi.Metadata["invoice_id"], Live: pi.Live, PaymentIntent: pi.ID, TransactionID: pi.Metadata["txn_id"],
	}
	if m.Invoice == "" {
		m.Invoice = invoiceID.FindString(pi.Description)
	}
	if rec.Refund != nil {
		m.Amount, m.Refund, m.TransactionID = rec.Refund.Amount, rec.Refund.ID, rec.Refund.Metadata["txn_id"]
	}
	if rec.Dispute != nil {
		m.Amount, m.Dispute = rec.Dispute.Amount, rec.Dispute.ID
	}
	if rec.Key != nil {
		m.Key = rec.Key.Key
	}
	return m
}
