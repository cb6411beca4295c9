package stripesim

import (
	"regexp"
	"strconv"
	"strings"

	"perennial/billing/money"
	"perennial/providers/simulator/core"
)

// moves are the kinds of lines that enter the books.
var moves = map[string]bool{
	core.Capture: true, core.Refunded: true, core.RefundReturned: true, core.Canceled: true,
	core.DisputeWithdrawn: true, core.DisputeReturned: true,
}

// effect is a change, with its entry in the books where its kind moves money.
func effect(kind string, rec *record, messages ...core.Message) *core.Effect {
	e := &core.Effect{Kind: kind, Change: rec, Messages: messages}
	if moves[kind] {
		e.Movements = []core.Movement{movement(kind, rec)}
	}
	return e
}

var invoiceID = regexp.MustCompile(`\bin_[0-9A-Za-z]+`)

func movement(kind string, rec *record) core.Movement {
	pi, amount := rec.Intent, rec.Intent.Amount
	m := core.Movement{
		Kind: kind, Currency: strings.ToUpper(pi.Currency), Customer: pi.Customer, Invoice: pi.Metadata["invoice_id"],
		Live: pi.Live, Charge: pi.ID, TransactionID: pi.Metadata["txn_id"],
	}
	if m.Invoice == "" {
		m.Invoice = invoiceID.FindString(pi.Description)
	}
	if rec.Refund != nil {
		amount, m.Refund, m.TransactionID = rec.Refund.Amount, rec.Refund.ID, rec.Refund.Metadata["txn_id"]
	}
	if rec.Dispute != nil {
		amount, m.Dispute = rec.Dispute.Amount, rec.Dispute.ID
	}
	m.Amount, m.WireAmount = toISO(amount, pi.Currency), strconv.FormatInt(amount, 10)
	return m
}

// wireDecimals differ from ISO's in three currencies.
func wireDecimals(currency string) int {
	switch c := strings.ToUpper(currency); c {
	case "UGX", "ISK":
		return 2
	case "MGA":
		return 0
	default:
		return money.Currency(c).Decimals()
	}
}

// toISO returns an amount of Stripe's in ISO minor units. Those of UGX and ISK are checked to be divisible.
func toISO(wire int64, currency string) int64 {
	n := money.Currency(strings.ToUpper(currency)).Decimals() - wireDecimals(currency)
	for ; n > 0; n-- {
		wire *= 10
	}
	for ; n < 0; n++ {
		wire /= 10
	}
	return wire
}

// toWire returns an amount in ISO minor units as Stripe has it; ok: it can.
func toWire(iso int64, currency string) (wire int64, ok bool) {
	n := money.Currency(strings.ToUpper(currency)).Decimals() - wireDecimals(currency)
	for ; n < 0; n++ {
		iso *= 10
	}
	for ; n > 0; n-- {
		if iso%10 != 0 {
			return 0, false
		}
		iso /= 10
	}
	return iso, true
}
