package e2e

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/world"
)

// firstPayment is a subscription that waits for its first payment.
type firstPayment struct {
	shop

	answer   answered
	customer string
	sub      string
}

// creations subscribes a payer for each answer of the provider, with paymentBehavior pending.
func (s shop) creations(ctx context.Context, t *testing.T) (all []*firstPayment) {
	t.Helper()
	for answer, token := range tokens[s.provider] {
		p := &firstPayment{shop: s, answer: answer, customer: s.payer(ctx, t, token)}
		var err error
		p.sub, err = s.env.Create(ctx, "/api/subscriptions",
			world.Object{"customerId": p.customer, "planId": s.plan, "paymentBehavior": "pending"})
		require.NoError(t, err)
		all = append(all, p)
	}
	return all
}

// firstState is what the API shows of one.
type firstState struct {
	Status          string `json:"status"`
	CancelReason    string `json:"cancelReason"`
	IncompleteUntil int64  `json:"incompleteUntil"`
	LatestInvoice   struct {
		Status  string `json:"status"`
		Payment struct {
			Status         string `json:"status"`
			RequiresAction bool   `json:"requiresAction"`
		} `json:"payment"`
	} `json:"latestInvoice"`
}

// await waits for what the answer leads to.
func (p *firstPayment) await(ctx context.Context, t *testing.T) {
	t.Helper()
	var s firstState
	reached := func() bool {
		latest := s.LatestInvoice
		switch p.answer {
		case pays:
			return s.Status == "active"
		case declines:
			return latest.Payment.Status == "declined" || latest.Payment.Status == "failed"
		case asks: // the kill may have cut the question off, which fails the attempt
			return latest.Payment.RequiresAction || latest.Payment.Status == "failed"
		default:
			return latest.Payment.Status == "pending"
		}
	}
	for {
		s = firstState{}
		require.NoError(t, p.env.Get(ctx, "/api/subscriptions/"+p.sub+"?expand=latestInvoice", &s))
		if reached() {
			break
		}
		require.NoError(t, ctx.Err(), "%s at %s: %+v", p.answer, p.provider, s)
		pause(ctx, 100*time.Millisecond)
	}
	var access struct {
		Allowed bool   `json:"allowed"`
		Reason  string `json:"reason"`
	}
	require.NoError(t, p.env.Get(ctx, "/api/customers/"+p.customer+"/access", &access))
	if p.answer == pays {
		require.True(t, access.Allowed)
		require.Zero(t, s.IncompleteUntil)
		return
	}
	require.Equal(t, "incomplete", s.Status, "%s at %s", p.answer, p.provider)
	require.NotZero(t, s.IncompleteUntil)
	require.False(t, access.Allowed)
	require.Equal(t, "first_payment_pending", access.Reason)
}

// awaitEnd waits until a subscription has ended with its invoice; one that is paid does not.
func (p *firstPayment) awaitEnd(ctx context.Context, t *testing.T) {
	t.Helper()
	want := [3]string{"canceled", "first_payment_expired", "void"}
	if p.answer == pays {
		want = [3]string{"active", "", "paid"}
	}
	for {
		var s firstState
		require.NoError(t, p.env.Get(ctx, "/api/subscriptions/"+p.sub+"?expand=latestInvoice", &s))
		if want == [3]string{s.Status, s.CancelReason, s.LatestInvoice.Status} {
			return
		}
		require.NoError(t, ctx.Err(), "%s at %s: %+v", p.answer, p.provider, s)
		pause(ctx, 100*time.Millisecond)
	}
}

// onceCreated is a creation with paymentBehavior error.
type onceCreated struct {
	shop

	answer   answered
	customer string
	said     world.Answer
}

// once prepares a creation for each answer of each provider.
func once(ctx context.Context, t *testing.T, shops []shop) (all []*onceCreated) {
	t.Helper()
	for _, s := range shops {
		for answer, token := range tokens[s.provider] {
			all = append(all, &onceCreated{shop: s, answer: answer, customer: s.payer(ctx, t, token)})
		}
	}
	return all
}

// create makes the request, until it is said what became of it.
func (p *onceCreated) create(ctx context.Context, t *testing.T) {
	p.said = untilSaid(ctx, t, p.env, p.answer, http.MethodPost, "/api/subscriptions",
		world.Object{"customerId": p.customer, "planId": p.plan, "paymentBehavior": "error"})
}

// answered checks the answer, and reports whether the subscription waits. One that failed is in no list.
func (p *onceCreated) answered(ctx context.Context, t *testing.T) (waits bool) {
	t.Helper()
	requireSaid(t, p.answer, p.provider, http.StatusCreated, p.said)
	var list struct {
		Data []firstState `json:"data"`
	}
	require.NoError(t, p.env.Get(ctx, "/api/subscriptions?customerId="+p.customer, &list))
	switch p.answer {
	case pays:
		require.Len(t, list.Data, 1)
		require.Equal(t, "active", list.Data[0].Status)
	case silent:
		require.Len(t, list.Data, 1)
		require.Equal(t, "incomplete", list.Data[0].Status)
		return true
	default:
		require.Empty(t, list.Data, "%s at %s", p.answer, p.provider)
	}
	return false
}
