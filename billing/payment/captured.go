package payment

// Captured is a charge by the money that it captured: what refunds give back of it, what is owed of those that failed,
// and what banks hold because of disputes.
type Captured struct{ Transaction }

// Captured returns the charge by the money that it captured.
func (t Transaction) Captured() Captured { return Captured{t} }
