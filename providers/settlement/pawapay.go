package settlement

import "strings"

// pawapay reads the statement of a wallet, which the dashboard and POST /v2/statements export. The Transaction ID is
// the id that we gave to the deposit or the refund. pawaPay publishes the columns, and names the types in words: a type
// that has none of the known words is not understood, and says so.
//
// Source: https://docs.pawapay.io/dashboard/finances/statements (columns).
var pawapay = dialect{
	required: []string{"transaction id", "amount", "currency", "type"},
	source:   "https://docs.pawapay.io/dashboard/finances/statements",
	read:     readPawapay,
}

// pawapayWords are looked for in this order: a "deposit fee" is a fee.
var pawapayWords = []struct{ word, kind string }{
	{"fee", fee}, {"refund", refund}, {"deposit", charge}, {"payout", other}, {"remittance", other}, {"withdrawal", other},
	{"top up", other}, {"topup", other}, {"settlement", other},
}

func readPawapay(r record) (row Row, err error) {
	row.Type, row.Kind = r.text("type"), unknown
	for _, known := range pawapayWords {
		if words := strings.ToLower(strings.ReplaceAll(row.Type, "_", " ")); strings.Contains(words, known.word) {
			row.Kind = known.kind
			break
		}
	}
	row.Reference = r.text("transaction id")
	if row.Currency, err = r.currency("currency"); err != nil {
		return row, err
	}
	amount, err := r.amount("amount", row.Currency)
	// Nothing says which sign a fee has, so that each counts as one that pawaPay took.
	row.Amount, row.SettledCurrency = absolute(amount), row.Currency
	return row, err
}
