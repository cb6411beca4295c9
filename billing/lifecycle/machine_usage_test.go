package lifecycle_test

import (
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/subscription"
)

// callingPlan returns a plan with a usage price, and with thresholds that are billed at once.
func callingPlan(p plan.Plan) plan.Plan {
	p.Metered = &metered.Prices{Thresholds: someThresholds, Components: []metered.Component{{
		ID: "calls", MetricName: "calls", MetricVersionID: "met_1",
		Rates: []metered.Rate{{Price: rating.Price{Model: rating.PerUnit, UnitPrice: dec("0.15")}}},
	}}}
	return p
}

// use records usage and checks the thresholds: an invoice before the period's end bills the usage so far.
func (m *machine) use(*rapid.T) {
	s := m.store.load(false).Subscription
	if s.MeteredSince.IsZero() || s.Status == subscription.Canceled {
		return
	}
	if at := m.now.Add(-time.Microsecond); !at.Before(s.MeteredSince) {
		r := record{at: at, metric: "calls", quantity: int64(10 + m.draw(40, "calls"))}
		m.store.records = append(m.store.records, r)
	}
	m.life.now = m.now
	asked, goesOn := m.life.asked(m.draw)
	if !goesOn {
		return
	}
	_, changes, err := lifecycle.CrossThresholds(m.store.load(false), asked, m.moment())
	m.write(changes, err)
}

// billUsage rates and issues the due drafts.
func (m *machine) billUsage() {
	for {
		s := m.store.load(false)
		draft, due := s.UsageDraft(m.now)
		if !due {
			return
		}
		if s.ClosesUsage(draft) {
			_, changes, err := lifecycle.CloseUsage(s, draft.ID, m.moment())
			require.NoError(m.t, err)
			m.store.write(changes)
		}
		m.life.now = m.now
		_, changes, err := lifecycle.BillUsage(m.store.load(false), m.life.rated(draft), m.moment())
		require.NoError(m.t, err)
		m.store.write(changes)
	}
}

// paysUsage reports whether a transaction has paid for usage.
func (m *machine) paysUsage(t payment.Transaction) bool {
	inv := m.store.invoice(t.InvoiceID)
	return t.Type == payment.Charge && t.Status == payment.Success && inv != nil && meteredOf(inv.Lines) > 0
}
