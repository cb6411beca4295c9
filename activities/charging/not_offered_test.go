package charging_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/billing/routing"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// notOffering is an account that one operator is not activated for: refused with 403 by the provider, or without a
// request where the configuration shows it.
type notOffering struct {
	*scene.Provider
	status int
}

func (p notOffering) Charge(context.Context, providers.ChargeRequest) (providers.Result, error) {
	return providers.Result{Outcome: providers.NotSent, NotOffered: true, HTTPStatus: p.status}, nil
}

// An answer that an account does not offer something proves nothing about its credentials and its other charges.
func TestFailover_NotOfferedOpensNoBreaker(t *testing.T) {
	t.Parallel()
	for _, status := range []int{0, http.StatusForbidden, http.StatusOK} {
		l := life.Begin(t, scene.New(t), scene.Monthly(1000))
		l.Collecting()
		l.Payments.Gateway = scene.Gateway{Only: notOffering{l.Provider, status}}
		for range 8 {
			l.Check(l.Snap.Live.TransactionID)
			l.Clock.Add(time.Minute)
		}
		require.Equal(t, payment.Pending, l.Last().Status)
		require.Equal(t, routing.Breaker{}, l.Breaker(l.Config.ID), status)
		require.NotContains(t, l.Events(), "provider.failing")
		l.Sound()
	}
}
