package e2e

import (
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/customer"
	"perennial/billing/dunning"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/recording"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/internal/id"
)

// rulebook runs one subscription by billing/lifecycle alone: no database, no workflow, no provider, and no clock but
// the one it is given. Each due thing happens at the instant at which it is due, as in real time. It decides nothing
// itself: it passes each new State on to the next call and collects the Changes.
type rulebook struct {
	t     require.TestingT
	plans map[string]plan.Plan
	state lifecycle.State
	now   time.Time
	pays  bool // whether the customer's card does

	invoices []invoice.Invoice     // oldest first
	attempts []payment.Transaction // oldest first
	events   []event.Event         // in the order in which they happened
}

func newRulebook(t require.TestingT, plans map[string]plan.Plan, planID string, in subscribing.NewInput) *rulebook {
	sub, events, err := subscribing.Create(plans[planID], in)
	require.NoError(t, err)
	return &rulebook{
		t: t, plans: plans, now: in.Now, pays: true, events: events,
		state: lifecycle.State{
			Subscription: sub, Plan: plans[planID],
			Customer: customer.Customer{
				ID: in.CustomerID, PaymentMethod: "card", PaymentDetails: customer.PaymentDetails{PaymentMethodToken: "pm"},
			},
			Settings: subscription.Settings{
				TimeZone: in.TimeZone, Dunning: dunning.Default(), PastDueBilling: subscription.SkipPastDue,
			},
			Provider: &lifecycle.Provider{Name: "simulator", ConfigID: "pp"},
		},
	}
}

// until moves time and does all work that becomes due, each piece at its own instant.
func (b *rulebook) until(to time.Time) {
	for {
		sub := b.state.Subscription
		if sub.NextAction == subscription.ActionNone || sub.NextActionAt.After(to) {
			b.now = to
			return
		}
		if sub.NextActionAt.After(b.now) {
			b.now = sub.NextActionAt
		}
		b.advance()
	}
}

func (b *rulebook) advance() {
	state, changes, err := lifecycle.Advance(b.state, b.moment())
	require.NoError(b.t, err)
	b.follow(state, changes)
	b.charge()
}

// apply performs a command.
func (b *rulebook) apply(cmd lifecycle.Command) {
	state, changes, err := lifecycle.Apply(b.state, cmd, b.moment())
	require.NoError(b.t, err)
	b.follow(state, changes)
	b.charge()
}

// newCard gives the customer another card; lifecycle then charges unpaid invoices.
func (b *rulebook) newCard(pays bool) {
	b.pays = pays
	b.state.Subscription.MethodChangedAt = b.now
	b.advance()
}

// charge gives every attempt the provider's answer at once.
func (b *rulebook) charge() {
	said := answer.Answer{Outcome: answer.Declined}
	for attempt := b.state.Attempt(); attempt != nil; attempt = b.state.Attempt() {
		if b.pays {
			said = answer.Answer{
				Outcome: answer.Succeeded, Amount: attempt.Amount, Currency: attempt.Currency,
			}
		}
		state, _, changes, err := recording.Record(b.state, recording.Result{
			Transaction: *attempt, Move: payment.MoveSend, Answer: said,
		}, b.moment())
		require.NoError(b.t, err)
		b.follow(state, changes)
	}
}

// follow keeps what tx.Lifecycle.Write would have written.
func (b *rulebook) follow(state lifecycle.State, changes lifecycle.Changes) {
	require.Empty(b.t, changes.Starts, "no money goes back in this story")
	b.state = state
	b.invoices = append(b.invoices, changes.Invoices.Of(lifecycle.InvoiceCreated)...)
	for _, changed := range changes.Invoices.Of(lifecycle.InvoiceChanged) {
		i := slices.IndexFunc(b.invoices, func(inv invoice.Invoice) bool { return inv.ID == changed.ID })
		b.invoices[i] = changed
	}
	b.attempts = append(b.attempts, changes.NewTransactions...)
	for _, changed := range changes.Transactions {
		i := slices.IndexFunc(b.attempts, func(t payment.Transaction) bool { return t.ID == changed.ID })
		b.attempts[i] = changed
	}
	b.events = append(b.events, changes.Events...)
}

func (b *rulebook) moment() lifecycle.Moment {
	return lifecycle.Moment{Now: b.now, Real: b.now, IDs: id.Source{}}
}
