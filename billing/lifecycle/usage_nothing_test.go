package lifecycle_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/internal/testkit"
)

// meterNothing gives the plans that cost something a metered price without usage.
func (l *life) meterNothing() {
	l.metered, l.idleUsage = true, true
	for i := range 5 {
		p := l.newest(fmt.Sprintf("plan_%d", i))
		if !p.Free() {
			p.Metered = &metered.Prices{Components: []metered.Component{{
				ID: p.ID + "_metered", MetricName: "calls", MetricVersionID: "met_1",
				Rates: []metered.Rate{{Price: rating.Price{Model: rating.PerUnit, UnitPrice: dec("0.03")}}},
			}}}
			l.store.plans[p.Ref()] = p
		}
	}
	l.account.plan = l.store.plans[l.sub().Plan()]
}

// alikeWithoutUsage removes the differences that metered prices make before any usage from a life. No renewal with them
// is free, so that it is announced, and needs a payment method at a trial's end; and a waiting draft of usage refuses a
// pause. A pause has its own dates, at which it finds nothing.
func (l *life) alikeWithoutUsage() {
	l.late, l.thorough, l.alike = false, false, true
	l.store.settings.InvoiceGraceMinutes, l.store.settings.RenewalReminderDays = 0, 0
	for ref, p := range l.store.plans {
		p.TrialEnd = ""
		l.store.plans[ref] = p
	}
	l.account.plan = l.store.plans[l.sub().Plan()]
}

// seen is the part of a life that its customer sees.
type seen struct {
	Status, Period         string
	PaidThrough, Activated time.Time
	Balance                money.Minor
	Invoices               []string
}

func (l *life) seen() seen {
	s := l.sub()
	out := seen{
		Status: string(s.Status), Period: s.CurrentPeriod.String(), PaidThrough: s.PaidThrough, Activated: s.ActivatedAt,
		Balance: l.store.balance,
	}
	for _, inv := range l.store.invoices {
		out.Invoices = append(out.Invoices,
			fmt.Sprintf("%s %s %d due %d of %s", inv.ID, inv.Status, inv.Total, inv.AmountDue, inv.Period))
	}
	return out
}

// One of two lives with the same events has metered prices without usage. Its invoices, its status and its paid time
// equal those of the other; only its drafts differ.
func TestUsage_OfNothingChangesNothing(t *testing.T) {
	t.Parallel()
	seed, drafts := testkit.Seed(t), 0
	for n := range testkit.Scale(300, 4000) {
		var both [2]*life
		var draws [2]chance
		for i := range both {
			random := rand.New(rand.NewPCG(seed, uint64(n)))
			draws[i] = func(n int, _ string) int { return random.IntN(n) }
			l := someLife(named{t, seed, n}, draws[i])
			l.alikeWithoutUsage()
			both[i] = l
		}
		both[1].meterNothing()
		for range 40 {
			for i, l := range both {
				l.step(draws[i])
				l.advance() // also those that a command made due
				for l.billUsage() {
					drafts++
				}
			}
			if a, b := both[0].seen(), both[1].seen(); fmt.Sprint(a) != fmt.Sprint(b) {
				require.Equal(t, a, b, "life %d of seed %d", n, seed)
			}
		}
	}
	require.Greater(t, drafts, 20)
}
