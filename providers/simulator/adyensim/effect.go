package adyensim

import (
	"crypto/rand"
	"regexp"
	"strconv"
	"strings"

	"perennial/billing/money"
	"perennial/providers/simulator/core"
)

// newPSP is random, because a restarted simulator must not give a reference twice. Adyen's have 16 characters.
func newPSP() string { return rand.Text()[:16] }

// transactionOf is the caller's transaction: the part of a reference before its hyphen.
func transactionOf(reference string) string {
	id, _, _ := strings.Cut(reference, "-")
	return id
}

// wireDecimals are Adyen's: four currencies differ from ISO 4217.
func wireDecimals(c money.Currency) int {
	switch c {
	case "CLP", "ISK":
		return 2
	case "CVE", "IDR":
		return 0
	default:
		return c.Decimals()
	}
}

// toISO returns an amount of Adyen's in ISO minor units.
func toISO(wire int64, currency string) int64 {
	c := money.Currency(currency)
	n := c.Decimals() - wireDecimals(c)
	for ; n > 0; n-- {
		wire *= 10
	}
	for ; n < 0; n++ {
		wire /= 10
	}
	return wire
}

// toWire returns an amount in ISO minor units as Adyen has it; ok: it can.
func toWire(iso int64, currency string) (wire int64, ok bool) {
	c := money.Currency(currency)
	n := c.Decimals() - wireDecimals(c)
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

var invoiceID = regexp.MustCompile(`\bin_[0-9A-Za-z]+`)

// changed is an effect that moves nothing.
func changed(kind string, rec *record, messages ...core.Message) *core.Effect {
	return &core.Effect{Kind: kind, Change: rec, Messages: messages}
}

// moved is an effect with its entry in the books. value is in Adyen's units.
func (d *Dialect) moved(
	kind string, p *payment, value int64, fill func(*core.Movement), rec *record, messages ...core.Message,
) *core.Effect {
	m := core.Movement{
		Kind: kind, TransactionID: transactionOf(p.Reference), Charge: p.PSP, Amount: toISO(value, p.Currency),
		WireAmount: strconv.FormatInt(value, 10), Currency: p.Currency, Customer: p.Shopper,
		Invoice: invoiceID.FindString(p.Description), Live: d.config.Live,
	}
	if fill != nil {
		fill(&m)
	}
	e := changed(kind, rec, messages...)
	e.Movements = []core.Movement{m}
	return e
}

func ofRefund(r *refund) func(*core.Movement) {
	return func(m *core.Movement) {
		m.Refund, m.TransactionID = r.PSP, ""
		if strings.Contains(r.Reference, "-r") {
			m.TransactionID = transactionOf(r.Reference)
		}
	}
}

func ofDispute(dis *dispute) func(*core.Movement) {
	return func(m *core.Movement) { m.Dispute = dis.PSP }
}
