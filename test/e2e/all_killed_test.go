package e2e

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// TestEveryPartIsKilledWhileFourProvidersFail: API, worker, PostgreSQL and Temporal are killed one after another, in a
// random order and at random moments, while two apps take payments by all four providers, each of which fails in its
// own way, and payments go to a backup. In the end the providers' ledgers and the rows agree, for each app in each
// currency.
func TestEveryPartIsKilledWhileFourProvidersFail(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	random := rand.New(rand.NewPCG(seed, 3))                    //nolint:gosec // a test's seed
	kills, joining := testkit.Scale(4, 60), testkit.Scale(2, 3) // customers of each app before a kill: 1.6 payments each
	database, engine := postgres(t), temporal(t)
	w := world.New(t, world.Config{Postgres: database, Temporal: engine, Environments: 2, Workerless: true})
	w.Service.Start(t)
	worker, _ := w.Worker(t, "e2e")
	worker.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*settled)
	defer cancel()
	crowds := make([]*load.Load, len(w.Environments))
	for i, env := range w.Environments {
		ids := (&wallets{Environment: env, t: t, ctx: ctx}).accounts("pawapay", "flutterwave", "adyen")
		hear(t, w, map[string]string{"pawapay": ids[0], "flutterwave": ids[1], "adyen": ids[2]})
		crowds[i] = load.New(t, env, seed+uint64(i))
		crowds[i].Run(ctx, 1, load.RefundsWith(load.Wallet+"911")) // a method that surely goes to the backup
	}
	for _, crowd := range crowds {
		crowd.Wait(t)
	}
	parts := everyPart(t, w, worker, database, engine)
	killInTurn(ctx, t, parts, random, kills, 1500, func(int) {
		for _, crowd := range crowds {
			crowd.Run(ctx, joining, load.Everywhere()...)
		}
		upset(t, w, random)
	})
	// A wallet that pawaPay refuses after a silence would be decided by a quarter of an hour without a trace of it.
	w.Simulator.Of("pawapay").Script(t, "911", "789")
	for _, crowd := range crowds {
		crowd.Wait(t)
	}
	check.AtRest(t, w, settled)
	check.Sound(t, w)

	providers := count(t, w, "select count(distinct provider) from payment_sends")
	require.Equal(t, 4, providers, "all of them took part")
	over := count(t, w, `select count(*) from payment_sends a join payment_sends b using (environment_id, transaction_id)
		where b.number = a.number + 1 and b.provider <> a.provider`)
	require.NotZero(t, over, "some payments went to a backup")
	t.Logf("%d kills, %d transactions with %d refunds, %d movements, %d payments went to a backup, %d exchanges were cut",
		kills, count(t, w, "select count(*) from transactions"),
		count(t, w, "select count(*) from transactions where type = 'refund'"), len(w.Simulator.Ledger(t)), over,
		count(t, w, "select count(*) from provider_calls where outcome = 'cut_off' or ended_at is null"))
}

// hear has each provider send its callbacks to an account.
func hear(t *testing.T, w *world.World, accounts map[string]string) {
	t.Helper()
	for name, id := range accounts {
		secret := credentials[name]["webhookSecret"].(string) //nolint:forcetypeassert // written above
		w.Simulator.Of(name).Callbacks(t, w.URL+"/callbacks/"+name+"/"+id, secret)
		w.Secrets["webhook secret at "+name] = secret
	}
}

// upset makes every provider fail for a few requests, or for a moment, in a way that ends automatically.
func upset(t *testing.T, w *world.World, random *rand.Rand) {
	t.Helper()
	faults := []string{
		"429", "500", "503", "500_booked", "503_booked", "hang", "hang_booked", "reset", "reset_booked", "bad_json",
		"slow_body",
	}
	for _, name := range []string{"stripe", "adyen", "pawapay", "flutterwave"} {
		provider := w.Simulator.Of(name)
		provider.Fault(t, faults[random.IntN(len(faults))], "POST /", 1)
		if random.IntN(4) == 0 {
			provider.Outage(t, []string{"refuse", "429", "503", "hang"}[random.IntN(4)],
				time.Duration(200+random.IntN(2000))*time.Millisecond)
		}
	}
}
