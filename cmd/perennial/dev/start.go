package dev

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/cmd/perennial/serve"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/config"
	"perennial/internal/vault"
	"perennial/service"
	"perennial/service/gateway"
	"perennial/service/tenancy"
	"perennial/service/usecase"
	"perennial/worker"
)

// bootstrap creates tenant, app, test environment, provider account and API key on the first start, and finds them on
// later ones.
func (d *stack) bootstrap(ctx context.Context) error {
	store, err := db.Open(ctx, db.Config{
		URL: d.config.Database.URL.Reveal(), MaxConns: 2, Clock: d.process.Now, ApplicationName: "perennial dev",
	})
	if err != nil {
		return err
	}
	defer store.Close()
	// A key that is unknown or revoked belongs to another database, or was given up: all is made anew.
	if d.state.apiKey != "" {
		key, err := store.KeyByHash(ctx, apikey.Hash(d.state.apiKey))
		if err == nil && key.RevokedAt.IsZero() {
			return d.find(ctx, store, key.EnvironmentID)
		}
	}
	keys, err := vault.New(d.state.kek)
	if err != nil {
		return err
	}
	d.state.webhookSecret = "whsec_" + rand.Text()
	// The app's name is this state's own: a database that outlived .perennial holds apps whose credentials do not open.
	d.tenant, d.app = "Development", "Development "+rand.Text()[:6]
	out, err := service.New(store, d.process.Now).Tenancy.ProvisionKey(ctx, d.process.Actor(), keys, tenancy.NewKey{
		Tenant: d.tenant, App: d.app, Mode: apikey.Test, Kind: apikey.Secret,
		Scopes: []string{"*"},
		Account: &usecase.Account{Provider: "stripe", Credentials: gateway.Credentials{
			"secretKey": "sk_test_" + rand.Text(), "webhookSecret": d.state.webhookSecret,
		}},
	})
	if err != nil {
		return err
	}
	// The plain text of the key is returned only once: a crash at this point costs a second app at the next start,
	// nothing more.
	d.state.apiKey, d.providerConfigID = out.Key.Plain, out.ProviderConfigID
	if err := d.state.save(); err != nil {
		return err
	}
	d.screen.done("a tenant with a test environment and an API key, kept in %s", d.state.path)
	return nil
}

// find loads the tenant, the app and the provider account of earlier starts.
func (d *stack) find(ctx context.Context, store *db.Store, environmentID string) error {
	account, err := store.Payments.ProviderConfig(ctx, environmentID)
	if err != nil {
		return err
	}
	d.providerConfigID = account.ID
	if d.tenant, d.app, err = namesOf(ctx, store, environmentID); err != nil {
		return err
	}
	const most = 100
	subscriptions, more, err := store.Subscriptions.List(ctx, environmentID, db.SubscriptionFilter{},
		db.Page{Limit: most, Unsettled: true})
	if err != nil {
		return err
	}
	count := fmt.Sprint(len(subscriptions))
	if more {
		count = fmt.Sprintf("more than %d", most)
	}
	d.screen.done("the same API key as before; subscriptions of earlier starts: %s", count)
	return nil
}

// namesOf returns the names of an environment's tenant and app.
func namesOf(ctx context.Context, store *db.Store, environmentID string) (tenant, app string, err error) {
	keys, err := store.Tenancy.Keys(ctx)
	for _, k := range keys {
		if k.EnvironmentID == environmentID {
			tenant, app = k.Tenant, k.App
		}
	}
	return tenant, app, err
}

func (d *stack) startSimulator(ctx context.Context) (err error) {
	c := d.config.Simulator
	c.CallbackURL, c.CallbackSecret = wire.CallbackURL(d.config, "stripe", d.providerConfigID),
		config.NewSecret(d.state.webhookSecret)
	if d.simulator, err = serve.StartSimulator(ctx, d.process, c); err != nil {
		return err
	}
	d.onDown(d.simulator.Stop)
	var ports []string
	for _, name := range d.simulator.Names() {
		ports = append(ports, name+" on "+d.simulator.URL(name))
	}
	d.screen.done("simulated payment providers: %s", strings.Join(ports, ", "))
	return nil
}

func (d *stack) startService(ctx context.Context) (err error) {
	d.screen.doing("starting the API and a worker")
	d.service, err = serve.Start(ctx, d.process, d.config, serve.Plan{
		// makeCurrent: every compilation is a build of its own, and the one before has no workers any more.
		Name: "perennial-dev", API: true, Worker: true, MakeCurrent: true, Logs: d.log,
	})
	if err != nil {
		return err
	}
	d.onDown(d.service.Stop)
	return nil
}

// currentWithin is the time that Temporal may take to see the worker's pollers; a fresh server needs some seconds.
const currentWithin = 90 * time.Second

// awaitCurrent waits until Temporal gives work to this very build: before that nothing would answer the story.
func (d *stack) awaitCurrent(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, currentWithin)
	defer cancel()
	var build string
	var err error
	for build != d.config.BuildID {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the worker does not get work from Temporal (%w); the log is %s",
				errors.Join(ctx.Err(), err), d.options.path(logName))
		case err := <-d.service.Failed:
			return err
		case <-time.After(100 * time.Millisecond):
			build, err = worker.CurrentBuild(ctx, d.service.Temporal, d.config.Deployment)
		}
	}
	elsewhere := ""
	if d.config.HTTP.ListenAddress != loopback(d.options.port) {
		elsewhere = fmt.Sprintf(", because port %d is in use,", d.options.port)
	}
	d.screen.done("API on %s%s and a worker, build %s", d.service.URL(), elsewhere, d.config.BuildID)
	return d.describe()
}

// describe writes how other commands reach what runs here.
// The file goes when we go: a stale address would only confuse.
func (d *stack) describe() error {
	c := d.config
	path := d.options.path(stackEnv)
	text := fmt.Sprintf("DATABASE_URL=%s\nTEMPORAL_ADDRESS=%s\nTEMPORAL_NAMESPACE=%s\nSTRIPE_API_URL=%s\n"+
		"ADYEN_API_URL=%s\nPAWAPAY_API_URL=%s\nFLUTTERWAVE_API_URL=%s\n"+
		"METRICS_ADDRESS=%s\nPERENNIAL_KEK=%s\nPERENNIAL_BUILD_ID=%s\n",
		c.Database.URL.Reveal(), c.Temporal.Address, c.Temporal.Namespace, c.Stripe.APIURL,
		c.Providers.AdyenURL, c.Providers.PawaPayURL, c.Providers.FlutterwaveURL,
		c.HTTP.MetricsAddress, c.KEK.Reveal(), c.BuildID)
	d.onDown(func(context.Context) error { return os.Remove(path) })
	return os.WriteFile(path, []byte(text), 0o600)
}

// watch reports a server that ends unexpectedly.
func (d *stack) watch(name string, done <-chan struct{}) {
	go func() {
		<-done
		d.stopped <- fault.New(fault.Unavailable, "server_ended",
			"The server %s has ended. Its log is in %s.", name, d.options.dir)
	}()
}

// stay waits for Ctrl-C, or for something to break.
func (d *stack) stay(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-d.service.Failed:
		return err
	case err := <-d.stopped:
		return err
	}
}

// down stops all that runs, the last started first. A server that does not stop does not keep the others from being
// stopped.
func (d *stack) down(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	var errs []error
	for i := len(d.downs) - 1; i >= 0; i-- {
		errs = append(errs, d.downs[i](ctx))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	d.screen.done("stopped; the data stays in %s", d.options.dir)
	return nil
}
