package e2e

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/retry"
	"perennial/billing/subscription"
)

// rulebook plays a subscription's life by the pure rules alone: no database, no workflow, no clock but the one it is
// told. What real time would give is what it gives, since each thing happens at the instant at which it is due.
type rulebook struct {
	t        require.TestingT
	s        subscription.Subscription
	plans    map[string]plan.Plan
	settings subscription.Settings
	now      time.Time
	pays     bool // whether the card does

	invoices   []invoice.Invoice
	attempts   []attempt
	collecting string
	credit     money.Minor
	events     []told
}

// attempt is one try to collect an invoice.
type attempt struct {
	invoice, number int
	at              time.Time
	success         bool
}

// told is one event of the subscription itself.
type told struct {
	name string
	at   time.Time
}

func newRulebook(t require.TestingT, plans map[string]plan.Plan, planID string, in subscription.NewInput) *rulebook {
	b := &rulebook{t: t, plans: plans, now: in.Now, pays: true, settings: subscription.Settings{
		TimeZone: in.TimeZone, Retry: retry.Default(), PastDueBilling: subscription.SkipPastDue,
	}}
	s, events, err := subscription.Create(plans[planID], in)
	require.NoError(t, err)
	b.s = s
	for _, e := range events {
		b.events = append(b.events, told{string(e.Type()), e.OccurredAt})
	}
	return b
}

// until moves time and does all that becomes due by itself, each thing at its own instant.
func (b *rulebook) until(to time.Time) {
	for {
		action, at := b.next()
		if action == subscription.ActionNone || at.After(to) {
			b.now = to
			return
		}
		if at.After(b.now) {
			b.now = at
		}
		switch action {
		case subscription.ActionPaymentRetry:
			b.step(b.find(b.collecting), collection.RetryDue)
		case subscription.ActionPastDueEnd:
			b.take(b.s.ExpirePastDue(b.settings, b.now))
		case subscription.ActionTrialNotice:
			b.take(b.s.AnnounceTrialEnd(b.now))
		default:
			b.take(b.s.OpenPeriod(b.facts(), b.now))
		}
		b.settle()
	}
}

func (b *rulebook) next() (subscription.Action, time.Time) {
	if inv := b.find(b.collecting); inv != nil {
		return b.s.Next(&inv.Collection, b.settings)
	}
	return b.s.Next(nil, b.settings)
}

// command does what somebody asks for.
func (b *rulebook) command(d subscription.Decision, err error) {
	b.take(d, err)
	b.settle()
}

// newCard tries what is unpaid with another card.
func (b *rulebook) newCard(pays bool) {
	b.pays = pays
	if inv := b.find(b.collecting); inv != nil {
		b.step(inv, collection.MethodChanged)
		b.settle()
	}
}

func (b *rulebook) take(d subscription.Decision, err error) {
	require.NoError(b.t, err)
	b.s = d.Subscription
	for _, e := range d.Events {
		b.events = append(b.events, told{string(e.Type()), e.OccurredAt})
	}
	for _, draft := range d.Issue {
		b.issue(draft)
	}
	for i := range b.invoices {
		if d.StopCollection && b.invoices[i].Status == invoice.Open {
			b.step(&b.invoices[i], collection.Stop)
		}
	}
}

func (b *rulebook) issue(draft invoice.Draft) {
	require.Empty(b.t, draft.Replaces, "this story changes no plan while an invoice is open")
	out, err := draft.Issue(invoice.Issuing{
		ID: fmt.Sprint(len(b.invoices)), Currency: b.s.Currency, Balance: b.credit, Now: b.now,
	})
	require.NoError(b.t, err)
	require.Empty(b.t, out.Refund, "this story asks for no money back")
	for _, entry := range out.Credit {
		b.credit += entry.Amount
	}
	inv := out.Invoice
	b.invoices = append(b.invoices, inv)
	if inv.Status == invoice.Paid {
		b.take(b.s.Settled(b.facts(), inv, b.now))
	}
}

// settle lets the oldest open invoice have its turn.
func (b *rulebook) settle() {
	for i := range b.invoices {
		if b.collecting == "" && b.invoices[i].Status == invoice.Open && b.s.Status != subscription.Canceled {
			b.collecting = b.invoices[i].ID
			b.step(&b.invoices[i], collection.Begin)
		}
	}
}

func (b *rulebook) step(inv *invoice.Invoice, kind collection.Kind) {
	terms := collection.Terms{
		Retry: b.settings.Retry, NoRetry: b.s.Status == subscription.PastDue, Stopped: b.s.Status == subscription.Canceled,
	}
	state, effect, err := collection.Next(inv.Collection,
		collection.Input{Kind: kind, Now: b.now, Boundary: b.s.CurrentPeriod.End}, terms)
	require.NoError(b.t, err)
	inv.Collection = state
	switch effect {
	case collection.StartAttempt:
		b.charge(inv)
	case collection.Settle:
		*inv = inv.Settle(b.now)
		b.collecting = ""
		b.take(b.s.Settled(b.facts(), *inv, b.now))
	case collection.Exhaust:
		b.take(b.s.Unpaid(state.Attempts, b.now))
	case collection.None, collection.RefundExtra, collection.CancelAttempt:
	}
}

func (b *rulebook) charge(inv *invoice.Invoice) {
	b.attempts = append(b.attempts, attempt{len(b.invoices), inv.Collection.Attempts, b.now, b.pays})
	if b.pays {
		b.step(inv, collection.AttemptSucceeded)
	} else {
		b.step(inv, collection.AttemptFailed)
	}
}

func (b *rulebook) facts() subscription.Facts {
	f := subscription.Facts{Plan: b.plans[b.s.PlanID], Settings: b.settings}
	if p, ok := b.plans[b.s.PendingPlanID]; ok {
		f.Pending = &p
	}
	for _, inv := range b.invoices {
		switch {
		case inv.Status == invoice.Open:
			f.Open = append(f.Open, inv)
		case inv.Status == invoice.Paid && inv.Period.End.Equal(b.s.CurrentPeriod.End):
			f.Paid = append(f.Paid, inv)
		}
	}
	return f
}

func (b *rulebook) find(id string) *invoice.Invoice {
	for i := range b.invoices {
		if b.invoices[i].ID == id {
			return &b.invoices[i]
		}
	}
	return nil
}
