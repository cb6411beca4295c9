package doctor

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"perennial/billing/fault"
	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/vault"
	"perennial/service/gateway"
	"perennial/service/tenancy"
)

// maxSkew is the difference that our clock may have from the database's. Leases and retry windows are counted in
// seconds and hours.
const maxSkew = 2 * time.Second

// database returns a store for the later checks; nil where there is nothing that they could read.
func (d *doctor) database(ctx context.Context) *db.Store {
	skew, version, writable, err := d.connect(ctx)
	switch {
	case err != nil:
		d.fail("database", "check DATABASE_URL, that PostgreSQL runs, and that this machine may connect", "%s", cli.Describe(err))
		return nil
	case !writable:
		d.fail("database", "let DATABASE_URL lead to the primary, or end default_transaction_read_only there",
			"PostgreSQL %s answers and takes no writes: it is a standby or read-only, so nothing is billed", version)
	}
	if differs := skew.Round(time.Millisecond); skew.Abs() > maxSkew {
		d.fail("clock", "let both machines keep time by NTP", "this machine and the database differ by %s", differs)
	} else {
		d.ok("clock", "differs from the database's by %s", differs)
	}
	if !d.schema(ctx) {
		return nil
	}
	store, err := db.Open(ctx, db.Config{
		URL: d.config.Database.URL.Reveal(), MaxConns: 1, Clock: d.now, ApplicationName: "perennial doctor",
	})
	if err != nil {
		d.fail("database", "see whether it has connections left", "%s", cli.Describe(err))
		return nil
	}
	if writable {
		d.writes(ctx, store, version)
	}
	d.keys(ctx, store)
	d.usagePartitions(ctx, store)
	return store
}

// writes writes to the database: settings that allow writes do not show the state of the disk.
func (d *doctor) writes(ctx context.Context, store *db.Store, version string) {
	ctx, cancel := d.within(ctx)
	defer cancel()
	if err := store.ProbeWrite(ctx); err != nil {
		d.fail("database", "see the database's log, and whether its disk is full",
			"PostgreSQL %s answers and takes no writes, so nothing is billed: %s", version, err)
		return
	}
	d.ok("database", "PostgreSQL %s answers and takes writes", version)
}

// usagePartitions checks that partitions are created ahead. Without one, records go to the default partition, which
// retention cannot drop.
func (d *doctor) usagePartitions(ctx context.Context, store *db.Store) {
	const check = "usage partitions"
	ctx, cancel := d.within(ctx)
	defer cancel()
	switch ready, err := store.Usage.MonthReady(ctx, db.UsageMonthsReady); {
	case err != nil:
		d.fail(check, "see the database's log", "%s", cli.Describe(err))
	case !ready:
		d.warn(check, "see why the reconciler's passes fail: each makes the partitions of the next months",
			"there is none for usage in %d months", db.UsageMonthsReady)
	default:
		d.ok(check, "made for the next %d months", db.UsageMonthsReady)
	}
}

// connect opens its own connection: waiting in a pool would distort the measured time.
func (d *doctor) connect(ctx context.Context) (skew time.Duration, version string, writable bool, err error) {
	ctx, cancel := d.within(ctx)
	defer cancel()
	conn, err := pgx.Connect(ctx, d.config.Database.URL.Reveal())
	if err != nil {
		return 0, "", false, err
	}
	defer func() { _ = conn.Close(ctx) }() // nothing is pending on it
	var there time.Time
	// The clock is read before and after: half of the round trip is the age of the database's answer.
	before := d.now()
	err = conn.QueryRow(ctx,
		"select clock_timestamp(), current_setting('server_version'), current_setting('transaction_read_only') = 'off'").
		Scan(&there, &version, &writable)
	after := d.now()
	return there.Sub(before.Add(after.Sub(before) / 2)), version, writable, err
}

// schema returns false where the later checks would only fail with missing tables.
func (d *doctor) schema(ctx context.Context) bool {
	ctx, cancel := d.within(ctx)
	defer cancel()
	current, wanted, err := db.SchemaVersion(ctx, d.config.Database.URL.Reveal())
	switch {
	case err != nil:
		d.fail("schema", "see the database's log", "%s", cli.Describe(err))
		return false
	case current < wanted:
		d.fail("schema", "run `perennial migrate`", "version %d, this program needs %d", current, wanted)
		return false
	// The checks continue: a program can read a newer schema (migrations expand before they contract).
	case current > wanted:
		d.warn("schema", "finish the deployment: a newer program has migrated the database",
			"version %d, this program knows %d", current, wanted)
	default:
		d.ok("schema", "version %d", current)
	}
	return true
}

// keys checks that the key-encryption key opens every app's keyset and every environment's credentials.
func (d *doctor) keys(ctx context.Context, store *db.Store) {
	const check = "key-encryption key"
	keys, err := vault.New(d.config.KEK.Reveal())
	if err != nil {
		d.fail(check, "restore PERENNIAL_KEK from your secret store; a new key would open no stored credentials",
			"%s", cli.Describe(err))
		return
	}
	environments, err := store.Tenancy.Environments(ctx)
	if err != nil {
		d.fail(check, "check the database", "%s", cli.Describe(err))
		return
	}
	apps := map[string]bool{} // whether its keyset opens
	for _, e := range environments {
		// An app has two environments and one keyset.
		if _, seen := apps[e.AppID]; seen {
			continue
		}
		app, err := store.Tenancy.App(ctx, e.AppID)
		if err == nil {
			_, err = keys.Rewrap(app.Keyset, app.ID)
		}
		if apps[e.AppID] = err == nil; err != nil {
			d.fail(check, "append the key that this app was created with to PERENNIAL_KEK, after a comma",
				"%s", fault.From(err).Detail)
		}
	}
	unreadable := 0
	for _, opens := range apps {
		if !opens {
			unreadable++
		}
	}
	if unreadable == 0 {
		d.ok(check, "opens the keysets of all apps (%d)", len(apps))
	}
	door := wire.GatewayOf(d.config, keys)
	d.environments(environments, func(d *doctor, e db.Environment) {
		d.settings(e)
		if apps[e.AppID] {
			d.provider(ctx, store, door, e)
		}
	})
}

// accountsAtOnce is the number of accounts at providers that are tried at a time.
const accountsAtOnce = 8

// environments checks several at a time, since a provider that hangs takes the whole patience for each of its accounts,
// and reports them in their order.
func (d *doctor) environments(all []db.Environment, check func(*doctor, db.Environment)) {
	reports := make([]report, len(all))
	var group errgroup.Group
	group.SetLimit(accountsAtOnce)
	for i, e := range all {
		group.Go(func() error {
			own := *d
			own.report = &reports[i]
			check(&own, e)
			return nil
		})
	}
	_ = group.Wait() // none of them fails
	for _, r := range reports {
		*d.report = append(*d.report, r...)
	}
}

// settings shows the settings of an environment and checks that this build can work with them.
func (d *doctor) settings(e db.Environment) {
	const check = "environment"
	if err := e.Settings.Validate(); err != nil {
		d.fail(check, "correct its row in the table environments: no command can change settings yet",
			"%s (%s): %s", e.ID, e.Mode, fault.From(err).Detail)
		return
	}
	d.ok(check, "%s (%s): %s", e.ID, e.Mode, tenancy.DescribeSettings(e.Settings))
}

// provider asks the provider itself, with a request that moves no money. An environment without one is a warning: a
// test environment may be made before its account.
func (d *doctor) provider(ctx context.Context, store *db.Store, door *gateway.Gateway, e db.Environment) {
	const check = "payment provider"
	ctx, cancel := d.within(ctx)
	defer cancel()
	account, err := store.Payments.ProviderConfig(ctx, e.ID)
	if errors.Is(err, db.ErrProviderConfigNotFound) {
		d.warn(check, "`perennial key create … --credential secretKey=VARIABLE` adds one",
			"%s (%s) has none: every payment will fail", e.ID, e.Mode)
		return
	}
	provider, err := door.Provider(ctx, account)
	if err == nil {
		err = provider.TestConnection(ctx)
	}
	if err != nil {
		d.fail(check, mendAccount(err, account.ID), "%s %s of %s (%s): %s",
			account.Provider, account.ID, e.ID, e.Mode, fault.From(err).Detail)
		return
	}
	d.ok(check, "%s of %s (%s) takes our key; its callbacks come to %s",
		account.Provider, e.ID, e.Mode, wire.CallbackURL(d.config, account.Provider, account.ID))
}

// mendAccount returns the fix for an account that does not work: a time-out has nothing to do with keys.
func mendAccount(err error, configID string) string {
	if fault.From(err).Kind == fault.Unavailable {
		return "see whether the provider is up, and that this machine reaches it; what waits is sent by itself then"
	}
	return "store a valid key with `perennial provider update " + configID +
		"`; where the key-encryption key is lost, add --new-keyset"
}
