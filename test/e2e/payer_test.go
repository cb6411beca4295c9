package e2e

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/core"
	"perennial/test/e2e/check"
	"perennial/test/e2e/world"
)

// confirmWithin is the time that the payers below have: some confirm at once, one never does.
const confirmWithin = 8 * time.Second

// TestPayer: the banks of two subscribers want them to confirm their first payment. One opens the link of the event and
// confirms at the bank; the other never does, so that the charge is canceled and a retry is scheduled. Later a retry on
// demand asks anew. Money moves once for each.
func TestPayer(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Config{Env: []string{"PAYMENT_CONFIRM_WITHIN=" + confirmWithin.String()}})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	p := payers{t: t, ctx: ctx, env: w.Environments[0], url: w.URL}
	plan, err := p.env.Create(ctx, "/api/plans", world.Object{
		"name": "Plan", "currency": "EUR", "interval": "month", "amount": 1000,
	})
	require.NoError(t, err)

	willing := p.subscribe(plan, card("pm_card_authenticationRequired"))
	p.confirm(p.link(willing, 1))
	p.until(willing, "success")
	require.Contains(t, p.read(p.link(willing, 1)), "Payment received")

	idle := p.subscribe(plan, card("pm_card_authenticationRequired"))
	first := p.link(idle, 1)
	p.until(idle, "failed")
	require.Contains(t, p.read(first), "This link has expired")
	invoices, err := p.env.All(ctx, "/api/invoices?subscriptionId="+idle)
	require.NoError(t, err)
	require.Len(t, invoices, 1)
	require.Equal(t, "open", invoices[0]["status"])
	_, err = p.env.Change(ctx, http.MethodPost, "/api/invoices/"+invoices[0]["id"].(string)+"/retry", nil)
	require.NoError(t, err)
	p.confirm(p.link(idle, 2))
	p.until(idle, "success")

	check.AtRest(t, w, settled)
	check.Sound(t, w)
	captured, canceled := 0, 0
	for _, m := range w.Simulator.Ledger(t) {
		switch m.Kind {
		case core.Capture:
			captured++
		case core.Canceled:
			canceled++
		}
	}
	require.Equal(t, 2, captured)
	require.Equal(t, 1, canceled)
}

// TestPayer_AtAdyen: nothing is captured before the payer is back at our address. The browser's parameters there appear
// in no log and in no history. A payer who confirms and comes back too late has not paid; the retry asks again.
func TestPayer_AtAdyen(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Config{Env: []string{"PAYMENT_CONFIRM_WITHIN=" + confirmWithin.String()}})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	p := payers{t: t, ctx: ctx, env: w.Environments[0], url: w.URL}
	ids := (&wallets{Environment: p.env, t: t, ctx: ctx}).accounts("adyen")
	hear(t, w, map[string]string{"adyen": ids[0]})
	plan, err := p.env.Create(ctx, "/api/plans", world.Object{
		"name": "Plan", "currency": "EUR", "interval": "month", "amount": 1000,
	})
	require.NoError(t, err)
	payer := card("")
	payer["paymentDetails"] = world.Object{
		"customerToken": "shopper_9", "paymentMethodToken": "SIM_AUTHENTICATE", "provider": "adyen",
	}

	willing := p.subscribe(plan, payer)
	brought, err := url.ParseQuery(p.confirm(p.link(willing, 1)))
	require.NoError(t, err)
	w.Secrets["redirectResult"] = brought.Get("redirectResult")
	p.until(willing, "success")
	require.Contains(t, p.read(p.link(willing, 1)), "Payment received")

	late := p.subscribe(plan, payer)
	link := p.link(late, 1)
	page, _ := p.browse(http.MethodGet, link, "")
	back, _ := p.browse(http.MethodPost, page, "decision=confirm")
	p.until(late, "failed")
	require.Contains(t, p.read(back), "This link has expired")
	invoices, err := p.env.All(ctx, "/api/invoices?subscriptionId="+late)
	require.NoError(t, err)
	_, err = p.env.Change(ctx, http.MethodPost, "/api/invoices/"+invoices[0]["id"].(string)+"/retry", nil)
	require.NoError(t, err)
	p.confirm(p.link(late, 2))
	p.until(late, "success")

	check.AtRest(t, w, settled)
	check.Sound(t, w)
	captured := 0
	for _, m := range w.Simulator.Ledger(t) {
		if m.Kind == core.Capture {
			captured++
		}
	}
	require.Equal(t, 2, captured)
}

// payers are the subscribers of one environment, at their browsers.
type payers struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // one story's, as t is
	env *world.Environment
	url string
}

func (p payers) subscribe(plan string, payer world.Object) (subscription string) {
	p.t.Helper()
	customer, err := p.env.Create(p.ctx, "/api/customers", payer)
	require.NoError(p.t, err)
	subscription, err = p.env.Create(p.ctx, "/api/subscriptions", world.Object{"customerId": customer, "planId": plan})
	require.NoError(p.t, err)
	return subscription
}

// link waits for the n-th event with a link, and returns it.
func (p payers) link(subscription string, n int) string {
	p.t.Helper()
	for {
		var events struct {
			Data []struct {
				Data struct {
					SubscriptionID string `json:"subscriptionId"`
					ConfirmURL     string `json:"confirmUrl"`
				} `json:"data"`
			} `json:"data"`
		}
		require.NoError(p.t, p.env.Get(p.ctx, "/api/events?type=payment.action_required&limit=100", &events))
		var links []string // newest first
		for _, e := range events.Data {
			if e.Data.SubscriptionID == subscription {
				links = append(links, e.Data.ConfirmURL)
			}
		}
		if len(links) >= n {
			require.True(p.t, strings.HasPrefix(links[0], p.url+"/confirm/"), links[0])
			return links[len(links)-n]
		}
		require.NoError(p.t, p.ctx.Err())
		time.Sleep(50 * time.Millisecond)
	}
}

// confirm acts as a payer: open the link, confirm at the bank's page, and come back. It returns the query of the
// return.
func (p payers) confirm(link string) (query string) {
	p.t.Helper()
	page, _ := p.browse(http.MethodGet, link, "")
	require.NotEmpty(p.t, page, "the link leads to the bank")
	back, _ := p.browse(http.MethodPost, page, "decision=confirm")
	require.True(p.t, strings.HasPrefix(back, link+"/return?"), back)
	for range 2 { // and reload
		location, said := p.browse(http.MethodGet, back, "")
		require.Empty(p.t, location)
		require.Regexp(p.t, "We are checking whether|We wait for your bank|Payment received", said)
	}
	_, query, _ = strings.Cut(back, "?")
	return query
}

// read returns the text of a page without a redirect.
func (p payers) read(page string) string {
	p.t.Helper()
	location, said := p.browse(http.MethodGet, page, "")
	require.Empty(p.t, location)
	return said
}

// browse makes one request, and returns where the browser would go next, and the page's text.
func (p payers) browse(method, page, form string) (location, said string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.ctx, method, page, strings.NewReader(form))
	require.NoError(p.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(p.t, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(p.t, err)
	require.Contains(p.t, []int{http.StatusOK, http.StatusSeeOther}, res.StatusCode, string(raw))
	return res.Header.Get("Location"), string(raw)
}

// until waits for the newest payment of a subscription to have a status.
func (p payers) until(subscription, status string) {
	p.t.Helper()
	for {
		payments, err := p.env.All(p.ctx, "/api/payments?type=charge&subscriptionId="+subscription)
		require.NoError(p.t, err)
		if len(payments) > 0 && payments[0]["status"] == status {
			return
		}
		require.NoError(p.t, p.ctx.Err())
		time.Sleep(50 * time.Millisecond)
	}
}
