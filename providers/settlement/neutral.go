package settlement

import "slices"

// neutral is a format of our own, into which the file of any provider can be written: docs/months-end.md has it.
var neutral = dialect{
	required: []string{"type", "reference", "amount", "currency"},
	source:   "docs/months-end.md",
	read:     readNeutral,
}

var neutralKinds = []string{charge, chargeReversed, refund, refundReturned, dispute, disputeReversed, fee, other}

func readNeutral(r record) (row Row, err error) {
	row.Type, row.Kind = r.text("type"), unknown
	if slices.Contains(neutralKinds, row.Type) {
		row.Kind = row.Type
	}
	row.Reference, row.ChargeRef = r.text("reference"), r.text("charge_reference")
	if row.Currency, err = r.currency("currency"); err != nil {
		return row, err
	}
	amount, err := r.amount("amount", row.Currency)
	if err != nil {
		return row, err
	}
	row.Amount, row.SettledCurrency = absolute(amount), row.Currency
	if row.Kind == fee {
		row.Amount = amount
	}
	row.Fee, err = r.amount("fee", row.Currency)
	return row, err
}
