package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/world"
)

// Canary is in every name and address of the crowd, so that a search finds where personal data went.
const Canary = "canaryperson"

// Load is one crowd in one environment.
type Load struct {
	env   *world.Environment
	seed  uint64
	cards []string // what customers pay with
	plans []plan

	mu     sync.Mutex
	errs   []error
	group  sync.WaitGroup
	actors int
}

type plan struct {
	id, currency string
}

// New makes the plans that the crowd will use.
// cards are chosen at random; a card that occurs twice is chosen twice as often.
func New(t testing.TB, env *world.Environment, seed uint64, cards ...string) *Load {
	t.Helper()
	l := &Load{env: env, seed: seed, cards: cards}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for currency, amount := range map[string]int{"EUR": 1900, "USD": 4999, "JPY": 3000} {
		for _, factor := range []int{1, 3} {
			id, err := env.Create(ctx, "/api/plans", world.Object{
				"name": fmt.Sprint(currency, " ", factor), "currency": currency, "interval": "month", "amount": amount * factor,
			})
			require.NoError(t, err)
			l.plans = append(l.plans, plan{id, currency})
		}
	}
	return l
}

// Script is the life of one actor.
type Script func(ctx context.Context, a *Actor) error

// Actor is one customer of the crowd.
type Actor struct {
	*Load
	rand *rand.Rand
	n    int
}

// Run starts n more actors, each with the next of the scripts, and returns at once.
func (l *Load) Run(ctx context.Context, n int, scripts ...Script) {
	for range n {
		a := &Actor{Load: l, rand: rand.New(rand.NewPCG(l.seed, uint64(l.actors))), n: l.actors} //nolint:gosec // a test's seed
		script := scripts[l.actors%len(scripts)]
		l.actors++
		l.group.Go(func() {
			if err := script(ctx, a); err != nil {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.errs = append(l.errs, fmt.Errorf("actor %d: %w", a.n, err))
			}
		})
	}
}

// Wait returns when all actors have ended, and fails where one had an error.
func (l *Load) Wait(t testing.TB) {
	t.Helper()
	l.group.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	require.NoError(t, errors.Join(l.errs...))
}

// Card chooses one.
func (a *Actor) Card() string { return a.cards[a.rand.IntN(len(a.cards))] }

func (a *Actor) plan() plan { return a.plans[a.rand.IntN(len(a.plans))] }

// other is another plan of the same currency.
func (a *Actor) other(than plan) plan {
	for {
		if p := a.plan(); p.currency == than.currency && p.id != than.id {
			return p
		}
	}
}

// chance is true with a probability of percent.
func (a *Actor) chance(percent int) bool { return a.rand.IntN(100) < percent }

// think pauses for a moment, so that kills meet every state.
func (a *Actor) think(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(a.rand.IntN(400)) * time.Millisecond):
	}
}

// Method is a payment method of this actor: a card saved at the provider that its token is of, or a telephone number.
func (a *Actor) Method(token string) world.Object {
	if ending, ok := strings.CutPrefix(token, Wallet); ok {
		return world.Object{"paymentMethod": "mobile_money_mtn", "paymentDetails": world.Object{
			"phoneNumber": fmt.Sprintf("%s%02d%s", CanaryPhone, a.n%100, ending),
		}}
	}
	return world.Object{"paymentMethod": "card", "paymentDetails": world.Object{
		"provider": savedAt(token), "customerToken": fmt.Sprintf("cus_%s%d", Canary, a.n), "paymentMethodToken": token,
	}}
}

// Customer creates the actor's customer; clock "" is real time.
func (a *Actor) Customer(ctx context.Context, card, clock string) (string, error) {
	in := a.Method(card)
	in["email"], in["name"] = fmt.Sprintf("%s%d@example.com", Canary, a.n), fmt.Sprintf("%s %d", Canary, a.n)
	if clock != "" {
		in["testClockId"] = clock
	}
	return a.env.Create(ctx, "/api/customers", in)
}

// Subscribe creates a subscription.
func (a *Actor) Subscribe(ctx context.Context, customer, plan string, trialDays int) (string, error) {
	return a.env.Create(ctx, "/api/subscriptions",
		world.Object{"customerId": customer, "planId": plan, "trialDays": trialDays})
}

// may allows a refusal by the rules: a change of state meanwhile may forbid the request.
func may(_ world.Answer, err error) error {
	var refused *world.Refused
	if errors.As(err, &refused) && refused.Status == http.StatusConflict {
		return nil
	}
	return err
}
