package payment

// Captured is a charge seen as captured money: the part that refunds give back, the part that failed refunds still owe,
// and the part that banks hold because of disputes.
type Captured struct{ Transaction }

// Captured returns the charge by the money that it captured.
func (t Transaction) Captured() Captured { return Captured{t} }
