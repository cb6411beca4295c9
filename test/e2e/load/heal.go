package load

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/world"
)

// Broken are the cards that leave us without an answer, by their behaviour: those that a replay of the key settles
// inside the provider's window, and those that only time settles.
var (
	Broken = []string{
		"pm_sim_hang", "pm_sim_hang_dropped", "pm_sim_500_captured", "pm_sim_refuse",
		"pm_sim_slow_3000", "pm_sim_slow_800", "pm_sim_pending_1s_succeed", "pm_sim_pending_2s_fail",
	}
	BrokenForLong = append([]string{"pm_sim_500_dropped"}, Broken...)
	Good          = []string{"pm_card_visa", "pm_card_mastercard", "pm_card_visa", "pm_card_visa"}
	Bad           = []string{"pm_card_chargeCustomerFail", "pm_card_visa_chargeDeclinedInsufficientFunds"}
)

// Mixed are cards of all kinds, the good ones most.
func Mixed(broken []string) []string {
	var out []string
	for range 3 {
		out = append(out, Good...)
	}
	return append(append(out, Bad...), broken...)
}

// MendCards makes every card good from now on.
func MendCards(t testing.TB, w *world.World) {
	t.Helper()
	for _, token := range append(append([]string{}, BrokenForLong...), Bad...) {
		w.Simulator.Script(t, token, "pm_card_visa")
	}
}

// PayAll has every open invoice of an environment paid, as customers do: with a good card, or where the subscription is
// canceled by asking for it. It returns when none is open.
func PayAll(t testing.TB, env *world.Environment, within time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	asked := map[string]time.Time{} // by invoice: a payment takes its time
	for {
		open, err := env.All(ctx, "/api/invoices?status=open")
		require.NoError(t, err, "open invoices are not paid in time: %v", asked)
		if len(open) == 0 {
			return
		}
		for _, invoice := range open {
			id, _ := invoice["id"].(string)
			if time.Since(asked[id]) < 15*time.Second {
				continue
			}
			asked[id] = time.Now()
			require.NoError(t, pay(ctx, env, invoice))
		}
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
	}
}

func pay(ctx context.Context, env *world.Environment, invoice world.Object) error {
	var sub struct {
		Status     string `json:"status"`
		CustomerID string `json:"customerId"`
	}
	id := fmt.Sprint(invoice["subscriptionId"])
	if err := env.Get(ctx, "/api/subscriptions/"+id, &sub); err != nil {
		return err
	}
	method := world.Object{"paymentMethod": "card", "paymentDetails": world.Object{
		"provider": "stripe", "customerToken": "cus_" + Canary + "good", "paymentMethodToken": "pm_card_visa",
	}}
	if _, err := env.Change(ctx, http.MethodPatch, "/api/customers/"+sub.CustomerID, method); err != nil {
		return err
	}
	if sub.Status != "canceled" {
		return nil
	}
	return may(env.Change(ctx, http.MethodPost, "/api/payments", world.Object{"subscriptionId": id}))
}
