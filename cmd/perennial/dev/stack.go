package dev

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"strconv"

	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/serve"
	"perennial/db"
	"perennial/internal/config"
	"perennial/internal/devstack"
	"perennial/internal/mailbox"
	"perennial/internal/telemetry"
)

// logName is the file of dev's JSON log: the terminal is for the story. The log of the previous start is kept as .old.
const logName = "log/perennial.log"

// spaceForData is room for a new database (40 MB), its write-ahead log, and some days of trying things out.
const spaceForData = 200 << 20

// stackEnv holds the settings with which other commands reach what dev started, while it runs.
const stackEnv = "stack.env"

// The ports that dev likes best; where one is in use it takes another.
const (
	likedPostgres   = 15432
	likedTemporal   = 7233
	likedTemporalUI = 8233
	likedSimulator  = 8090
	likedMetrics    = 9090
)

// stack is everything that dev runs.
type stack struct {
	process *cli.Process
	options options
	screen  *screen
	state   state
	config  config.Config
	log     *os.File

	providerConfigID string
	tenant, app      string // names

	simulator *serve.Simulated
	service   *serve.Server
	mailbox   *mailbox.Box
	smtp      string                        // the address of its server
	downs     []func(context.Context) error // in the order of starting
	stopped   chan error                    // a server ended unexpectedly
}

// onDown registers how to stop what has just started, immediately: a start that fails later must leave no process
// behind.
func (d *stack) onDown(down func(context.Context) error) { d.downs = append(d.downs, down) }

// up starts everything in the order in which it depends on each other.
func (d *stack) up(ctx context.Context) (err error) {
	if err := d.prepare(); err != nil {
		return err
	}
	for _, start := range []func(context.Context) error{
		d.startPostgres, d.migrate, d.startTemporal, d.startOurs, d.awaitCurrent, d.sendToMailbox,
	} {
		if err := start(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (d *stack) prepare() (err error) {
	if _, err := d.address(d.options.port, d.options.portNamed); err != nil {
		return err // before anything takes time
	}
	if d.options.fresh {
		if url, _ := d.process.Lookup("DATABASE_URL"); url != "" {
			return cli.Usagef("--fresh forgets what dev itself keeps; " +
				"DATABASE_URL names a database of yours, which it never deletes")
		}
		if err := devstack.Forget(d.options.dir); err != nil {
			return err
		}
		d.screen.done("forgot the data of earlier starts")
	}
	if err := os.MkdirAll(d.options.path("log"), 0o755); err != nil {
		return err
	}
	log := d.options.path(logName)
	if err := os.Rename(log, log+".old"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if d.log, err = os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return err
	}
	d.onDown(func(context.Context) error { return d.log.Close() })
	d.state, err = loadState(d.options.path("dev.env"))
	return err
}

// startPostgres uses DATABASE_URL where it is set.
// Such a server is never stopped and never forgotten: it may hold more than ours.
func (d *stack) startPostgres(ctx context.Context) error {
	if url, _ := d.process.Lookup("DATABASE_URL"); url != "" {
		d.config.Database.URL = config.NewSecret(url)
		d.screen.done("PostgreSQL: yours, from DATABASE_URL")
		return nil
	}
	// A disk that fills up would end PostgreSQL in the middle of the story, with a message about its log.
	if err := devstack.RequireSpace(d.options.dir, spaceForData); err != nil {
		return err
	}
	d.screen.doing("starting PostgreSQL")
	server, err := devstack.StartPostgres(ctx, devstack.PostgresConfig{
		Dir: d.options.path("postgres"), Port: likedPostgres, Progress: d.screen,
	})
	if err != nil {
		return err
	}
	d.onDown(server.Stop)
	d.watch("PostgreSQL", server.Done())
	d.config.Database.URL = config.NewSecret(server.URL())
	d.screen.done("PostgreSQL on 127.0.0.1:%d", server.Port())
	return nil
}

// migrate runs at every start, unlike in an installation: no other program uses this database meanwhile.
func (d *stack) migrate(ctx context.Context) error {
	url := d.config.Database.URL.Reveal()
	d.screen.doing("bringing the database to the present schema")
	before, wanted, err := db.SchemaVersion(ctx, url)
	if err != nil {
		return err
	}
	log, err := telemetry.NewLogger("info", d.log)
	if err != nil {
		return err
	}
	if err := db.Migrate(ctx, url, log); err != nil {
		return err
	}
	if before == wanted {
		d.screen.done("schema version %d, as it was", wanted)
	} else {
		d.screen.done("schema version %d (it was %d)", wanted, before)
	}
	return nil
}

// startTemporal uses TEMPORAL_ADDRESS where it is set.
func (d *stack) startTemporal(ctx context.Context) error {
	if address, _ := d.process.Lookup("TEMPORAL_ADDRESS"); address != "" {
		d.screen.done("Temporal: yours, from TEMPORAL_ADDRESS")
		return nil
	}
	d.screen.doing("starting Temporal")
	server, err := devstack.StartTemporal(ctx, devstack.TemporalConfig{
		Dir: d.options.path("temporal"), Port: likedTemporal, UIPort: likedTemporalUI, Progress: d.screen,
	})
	if err != nil {
		return err
	}
	d.onDown(server.Stop)
	d.watch("Temporal", server.Done())
	d.config.Temporal.Address, d.config.Temporal.UIURL = server.Address(), server.UIURL()
	d.screen.done("Temporal on %s, its web UI on %s", server.Address(), server.UIURL())
	return nil
}

// startOurs chooses the ports of our own servers and starts them, while no other start chooses any. Between asking for
// a free port and taking it, another start could take it.
func (d *stack) startOurs(ctx context.Context) error {
	return devstack.ReservingPorts(ctx, func() error {
		for _, start := range []func(context.Context) error{
			d.configure, d.bootstrap, d.startSimulator, d.startMailbox, d.startService,
		} {
			if err := start(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// configure reads the settings as every command does; the servers that were started replace settings that are absent.
func (d *stack) configure(context.Context) error {
	started := map[string]string{
		"DATABASE_URL": d.config.Database.URL.Reveal(), "TEMPORAL_ADDRESS": d.config.Temporal.Address,
		"TEMPORAL_UI_URL": d.config.Temporal.UIURL, "PERENNIAL_KEK": d.state.kek,
	}
	c, err := config.Load(func(name string) (string, bool) {
		// The key-encryption key is always our own: the kept credentials were sealed with it, and one from the
		// environment would open none of them.
		if value, ok := d.process.Lookup(name); ok && value != "" && name != "PERENNIAL_KEK" {
			return value, true
		}
		value, ok := started[name]
		return value, ok
	}, config.Serve)
	if err != nil {
		return err
	}
	if c.HTTP.ListenAddress, err = d.address(d.options.port, d.options.portNamed); err != nil {
		return err
	}
	if c.HTTP.MetricsAddress, err = d.address(likedMetrics, false); err != nil {
		return err
	}
	if err := d.placeSimulator(&c); err != nil {
		return err
	}
	c.HTTP.PublicURL = "http://" + c.HTTP.ListenAddress
	c.Webhooks.LocalReceivers = append(c.Webhooks.LocalReceivers, thisMachine...)
	if c.BuildID, err = buildOf(os.Executable()); err != nil {
		return err
	}
	d.config = c
	return nil
}

// placeSimulator gives each simulated provider a port, and points the adapters at them.
func (d *stack) placeSimulator(c *config.Config) (err error) {
	s := &c.Simulator
	for i, address := range []*string{
		&s.ListenAddress, &s.AdyenAddress, &s.PawaPayAddress, &s.FlutterwaveAddress, &s.ControlAddress,
	} {
		if *address, err = d.address(likedSimulator+i, false); err != nil {
			return err
		}
	}
	s.Ledger = d.options.path("simulator/ledger.jsonl")
	c.Stripe.APIURL = "http://" + s.ListenAddress
	c.Providers.AdyenURL = "http://" + s.AdyenAddress
	c.Providers.PawaPayURL = "http://" + s.PawaPayAddress
	c.Providers.FlutterwaveURL = "http://" + s.FlutterwaveAddress
	return nil
}

func (d *stack) address(liked int, insist bool) (string, error) {
	port, err := devstack.FreePort(liked)
	if err == nil && insist && port != liked {
		return "", fmt.Errorf("port %d on 127.0.0.1 is in use: stop what uses it, or name another with --port", liked)
	}
	return loopback(port), err
}

// thisMachine has the addresses on which receivers of the story and of the user listen, so it is allowed in addition to
// the configured ones.
var thisMachine = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// buildOf names a build by its content: while a program is being changed every compilation is another version, which
// the commit does not show.
func buildOf(path string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return "dev-" + hex.EncodeToString(sum.Sum(nil))[:12], nil
}
