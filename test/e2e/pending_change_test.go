package e2e

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/world"
)

// pendingChange is a subscription with a change that waits for its payment.
type pendingChange struct {
	shop

	answer   answered
	customer string
	sub      string
	from, to string // plans
	said     world.Answer
}

// subscribed returns subscriptions that are being paid, and whose payer then answers otherwise.
func (s shop) subscribed(ctx context.Context, t *testing.T) (all []*pendingChange) {
	t.Helper()
	to := s.sells(ctx, t, 9000)
	for answer := range tokens[s.provider] {
		p := &pendingChange{
			shop: s, answer: answer, customer: s.payer(ctx, t, tokens[s.provider][pays]), from: s.plan, to: to,
		}
		var err error
		p.sub, err = s.env.Create(ctx, "/api/subscriptions",
			world.Object{"customerId": p.customer, "planId": s.plan, "paymentBehavior": "pending"})
		require.NoError(t, err)
		all = append(all, p)
	}
	return all
}

// prepare waits until the subscription is paid, and gives its payer a method that answers as it should.
func (p *pendingChange) prepare(ctx context.Context, t *testing.T) {
	t.Helper()
	(&firstPayment{shop: p.shop, answer: pays, customer: p.customer, sub: p.sub}).await(ctx, t)
	in := payerBy(tokens[p.provider][p.answer])
	_, err := p.env.Change(ctx, http.MethodPatch, "/api/customers/"+p.customer,
		world.Object{"paymentMethod": in["paymentMethod"], "paymentDetails": in["paymentDetails"]})
	require.NoError(t, err)
}

// request changes the plan once that is paid.
func (p *pendingChange) request(ctx context.Context, t *testing.T) {
	t.Helper()
	_, err := p.env.Change(ctx, http.MethodPatch, "/api/subscriptions/"+p.sub,
		world.Object{"planId": p.to, "paymentBehavior": "pending"})
	require.NoError(t, err)
}

// once changes the plan with one attempt, until it is said what became of it.
func (p *pendingChange) once(ctx context.Context, t *testing.T) {
	p.said = untilSaid(ctx, t, p.env, p.answer, http.MethodPatch, "/api/subscriptions/"+p.sub,
		world.Object{"planId": p.to, "paymentBehavior": "error"})
}

// answered checks the answer to a change with one attempt, and reports whether the change waits.
func (p *pendingChange) answered(ctx context.Context, t *testing.T) (waits bool) {
	t.Helper()
	requireSaid(t, p.answer, p.provider, http.StatusOK, p.said)
	s := p.shown(ctx, t)
	switch p.answer {
	case pays:
		require.Equal(t, p.to, s.PlanID)
	case silent:
		require.NotNil(t, s.PendingChange)
		require.Equal(t, p.from, s.PlanID)
		return true
	default:
		require.Equal(t, []any{p.from, "active", "void"}, []any{s.PlanID, s.Status, s.LatestInvoice.Status})
	}
	require.Nil(t, s.PendingChange)
	return false
}

// pendedState is what the API shows of one.
type pendedState struct {
	PlanID        string `json:"planId"`
	Status        string `json:"status"`
	PendingChange *struct {
		InvoiceID string `json:"invoiceId"`
		ExpiresAt int64  `json:"expiresAt"`
	} `json:"pendingChange"`
	LatestInvoice struct {
		ID      string `json:"id"`
		Status  string `json:"status"`
		Payment struct {
			Status         string `json:"status"`
			RequiresAction bool   `json:"requiresAction"`
		} `json:"payment"`
	} `json:"latestInvoice"`
}

func (p *pendingChange) shown(ctx context.Context, t *testing.T) (s pendedState) {
	t.Helper()
	require.NoError(t, p.env.Get(ctx, "/api/subscriptions/"+p.sub+"?expand=latestInvoice", &s))
	return s
}

// await waits for what the answer leads to.
func (p *pendingChange) await(ctx context.Context, t *testing.T) {
	t.Helper()
	s := p.shown(ctx, t)
	reached := func() bool {
		payment := s.LatestInvoice.Payment
		switch p.answer {
		case pays:
			return s.PlanID == p.to
		case declines:
			return payment.Status == "declined" || payment.Status == "failed"
		case asks: // the kill may have cut the question off, which fails the attempt
			return payment.RequiresAction || payment.Status == "failed"
		default:
			return payment.Status == "pending"
		}
	}
	for !reached() {
		require.NoError(t, ctx.Err(), "%s at %s: %+v", p.answer, p.provider, s)
		pause(ctx, 100*time.Millisecond)
		s = p.shown(ctx, t)
	}
	var access struct {
		Allowed bool   `json:"allowed"`
		Reason  string `json:"reason"`
		PlanID  string `json:"planId"`
	}
	require.NoError(t, p.env.Get(ctx, "/api/customers/"+p.customer+"/access", &access))
	require.Equal(t, []any{true, "paid"}, []any{access.Allowed, access.Reason}, "%s at %s", p.answer, p.provider)
	if p.answer == pays {
		require.Equal(t, p.to, access.PlanID)
		require.Nil(t, s.PendingChange)
		return
	}
	require.Equal(t, []string{p.from, p.from}, []string{s.PlanID, access.PlanID}, "%s at %s", p.answer, p.provider)
	require.NotNil(t, s.PendingChange)
	require.Equal(t, s.LatestInvoice.ID, s.PendingChange.InvoiceID)
}

// awaitEnd waits until a change is withdrawn with its invoice; one that is paid is not.
func (p *pendingChange) awaitEnd(ctx context.Context, t *testing.T) {
	t.Helper()
	want := []string{"active", p.from, "void"}
	if p.answer == pays {
		want = []string{"active", p.to, "paid"}
	}
	for {
		s := p.shown(ctx, t)
		is := []string{s.Status, s.PlanID, s.LatestInvoice.Status}
		if s.PendingChange == nil && is[0] == want[0] && is[1] == want[1] && is[2] == want[2] {
			return
		}
		require.NoError(t, ctx.Err(), "%s at %s: %+v", p.answer, p.provider, s)
		pause(ctx, 100*time.Millisecond)
	}
}
