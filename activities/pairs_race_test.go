package activities_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"perennial/billing/customer"
	"perennial/billing/subscription"
	"perennial/internal/testkit"
	"perennial/test/life"
	"perennial/test/scene"
)

// sparse are subscriptions whose rows do not exist yet that commands lock or write: what locks nothing must not run
// beside another.
var sparse = map[string]pair{
	"without a balance": {reach: func(*life.Life) {}, status: subscription.Active},
	"without a method": {status: subscription.Active, reach: func(l *life.Life) {
		l.ChangeCustomer(func(c *customer.Customer) { c.PaymentMethod, c.PaymentDetails = "", customer.PaymentDetails{} })
	}},
	"without an invoice": {trial: 60, reach: func(*life.Life) {}, status: subscription.Trialing},
}

// Two commands at the same moment have the outcome that they have one after the other, in one of both orders: the same
// refusals, the same state, the same balance, and sound books.
func TestCommand_PairsRace(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	for name, p := range sparse {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, uint64(len(name))))
			s := scene.New(t)
			commands := commandsOf(t, s)
			names := slices.Sorted(maps.Keys(commands))
			all := len(names) * len(names)
			for _, n := range random.Perm(all)[:testkit.Scale(12, all)] {
				one, other := names[n/len(names)], names[n%len(names)]
				first := p.outcome(t, s, func(l *life.Life) [2]string {
					was := judged(t, l, commands[one])
					return [2]string{was, judged(t, l, commands[other])}
				})
				second := p.outcome(t, s, func(l *life.Life) [2]string {
					was := judged(t, l, commands[other])
					return [2]string{judged(t, l, commands[one]), was}
				})
				raced := p.outcome(t, s, func(l *life.Life) (said [2]string) {
					var group errgroup.Group
					for i, c := range []life.Command{commands[one], commands[other]} {
						group.Go(func() error {
							refusal, err := l.CommandUntilJudged(t.Context(), c)
							if refusal != nil {
								said[i] = refusal.Code
							}
							return err
						})
					}
					require.NoError(t, group.Wait(), "%s and %s", one, other)
					return said
				})
				require.Contains(t, []string{first, second}, raced, "%s and %s", one, other)
			}
		})
	}
}

// judged performs a command and returns the code of its refusal; empty: it was performed.
func judged(t *testing.T, l *life.Life, c life.Command) string {
	t.Helper()
	refusal, err := l.CommandUntilJudged(t.Context(), c)
	require.NoError(t, err)
	if refusal == nil {
		return ""
	}
	return refusal.Code
}

// outcome returns what commands lead to in a situation.
func (p pair) outcome(t *testing.T, s *scene.Scene, run func(*life.Life) [2]string) string {
	t.Helper()
	l := p.begin(t, s)
	began := l.Sub().PlanID
	said := run(l)
	l.Reload()
	l.Sound()
	sub := l.Sub()
	balance, err := l.Store.Customers.CreditBalance(t.Context(), l.Env, l.Payer.ID, "EUR")
	require.NoError(t, err)
	return fmt.Sprint(said, sub.Status, sub.PlanID != began, sub.PendingPlanID != "", sub.CancelAtPeriodEnd, balance,
		len(l.Invoices()), len(l.CreditNotes()), len(l.Transactions()))
}
