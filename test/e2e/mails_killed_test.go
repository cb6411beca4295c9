package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	netmail "net/mail"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/internal/testkit/mailserver"
	"perennial/internal/testkit/wait"
	"perennial/test/e2e/world"
)

// TestMailsSurviveKills: the worker and PostgreSQL are killed at random moments while mails with documents are sent. In
// the end the mail server has each mail under its own Message-ID, and none is missing.
func TestMailsSurviveKills(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testkit.Seed(t), 4)) //nolint:gosec // a test's seed
	kills, mails := testkit.Scale(2, 40), testkit.Scale(30, 100)
	server := mailserver.Start(t, mailserver.Options{Plain: true})
	database := postgres(t)
	w := world.New(t, world.Config{Postgres: database, Workerless: true, Env: world.AllowLocalReceivers})
	w.Service.Start(t)
	worker, _ := w.Worker(t, "e2e")
	worker.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*settled)
	defer cancel()
	box := &post{Environment: w.Environments[0], w: w, t: t, ctx: ctx}
	box.settings(server)
	invoice := box.invoice()
	parts := []part{
		{"worker", func() { worker.Kill(t) }, func() { worker.Start(t) }},
		{
			"PostgreSQL", func() { require.NoError(t, database.Kill()) },
			func() { require.NoError(t, database.Restart(t.Context())) },
		},
	}
	var sending sync.WaitGroup
	killInTurn(ctx, t, parts, random, kills, 1000, func(int) {
		sending.Go(func() {
			for range mails {
				box.send(invoice)
			}
		})
	})
	sending.Wait()
	ids := box.allSent(server)
	require.Len(t, ids, kills*mails)

	taken := map[string]int{}
	for _, m := range server.Mails() {
		read, err := netmail.ReadMessage(bytes.NewReader(m.Raw))
		require.NoError(t, err)
		require.Contains(t, string(m.Raw), "application/pdf")
		taken[read.Header.Get("Message-Id")]++
	}
	again := 0
	for _, id := range ids {
		n := taken["<"+id+"@seller.example>"]
		require.NotZero(t, n, "%s is missing", id)
		again += n - 1
		delete(taken, "<"+id+"@seller.example>")
	}
	require.Empty(t, taken, "no mail has another Message-ID")
	require.LessOrEqual(t, again, 4*kills, "only those that were under way at a kill came again")
	t.Logf("%d mails, %d kills, %d attempts beside the first ones, %d mails came again", len(ids), kills,
		count(t, w, "select sum(jsonb_array_length(log)) - count(*) from emails"), again)
}

// post sends the mails of an environment.
type post struct {
	*world.Environment

	w   *world.World
	t   *testing.T
	ctx context.Context
}

func (p *post) settings(server *mailserver.Server) {
	p.t.Helper()
	_, err := p.Change(p.ctx, http.MethodPut, "/api/email-settings", world.Object{
		"from": world.Object{"email": "billing@seller.example"}, "host": server.Host, "port": server.Port, "security": "none",
		"kinds": []string{}, "allowedRecipients": []string{"@example.com"},
	})
	require.NoError(p.t, err)
}

// invoice returns the id of an issued invoice.
func (p *post) invoice() string {
	p.t.Helper()
	customer, err := p.Create(p.ctx, "/api/customers", world.Object{
		"email": "ada@example.com", "paymentMethod": "card",
		"paymentDetails": world.Object{"customerToken": "cus_1", "paymentMethodToken": "pm_card_visa"},
	})
	require.NoError(p.t, err)
	plan, err := p.Create(p.ctx, "/api/plans", world.Object{"name": "Pro", "amount": 1900, "currency": "USD", "interval": "month"})
	require.NoError(p.t, err)
	sub, err := p.Create(p.ctx, "/api/subscriptions", world.Object{"customerId": customer, "planId": plan})
	require.NoError(p.t, err)
	var found []world.Object
	require.Eventually(p.t, func() bool {
		found, err = p.All(p.ctx, "/api/invoices?subscriptionId="+sub)
		return err == nil && len(found) > 0 && found[0]["status"] != "draft"
	}, wait.Patience, 100*time.Millisecond)
	return fmt.Sprint(found[0]["id"])
}

func (p *post) send(invoice string) {
	_, err := p.Change(p.ctx, http.MethodPost, "/api/invoices/"+invoice+"/send", nil)
	if err != nil && p.ctx.Err() == nil {
		p.t.Errorf("send: %v", err)
	}
}

// allSent waits until no mail is pending, and returns the ids of all. An attempt whose worker was killed counts as lost
// after two minutes: after ten seconds, that time is taken to have passed. New settings wake the sender.
func (p *post) allSent(server *mailserver.Server) (ids []string) {
	p.t.Helper()
	for {
		_, err := p.w.Pool.Exec(p.ctx, `update emails set next_attempt_at = now() where status = 'pending'
			and log #>> '{-1,outcome}' is null and (log #>> '{-1,startedAt}')::timestamptz < now() - interval '10 seconds'`)
		require.NoError(p.t, err)
		p.settings(server)
		pause(p.ctx, time.Second)
		require.NoError(p.t, p.ctx.Err(), "mails are pending")
		rows, err := p.w.Pool.Query(p.ctx, "select id, status from emails")
		require.NoError(p.t, err)
		type row struct{ ID, Status string }
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
		require.NoError(p.t, err)
		if slices.ContainsFunc(found, func(r row) bool { return r.Status == "pending" }) {
			continue
		}
		for _, r := range found {
			require.Equal(p.t, "sent", r.Status)
			ids = append(ids, r.ID)
		}
		return ids
	}
}
