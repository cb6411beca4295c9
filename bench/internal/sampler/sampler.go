// Package sampler measures one commit of the product for a comparison of two: it reads orders and writes samples.
//
// The folder is copied into the clone of each compared commit, with load and machine, so that the same code measures
// all of them. It uses only what earlier commits have; differences between commits are behind Rig.
package sampler

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/bench/bare"
	"perennial/bench/internal/load"
	"perennial/bench/internal/machine"
	"perennial/bench/stage"
)

// Rig is the product of one commit with its servers. Each version of the benchmark has an adapter: bench/samples.go,
// and for versions without folders bench/internal/before/testdata/flat.
type Rig interface {
	Stop(ctx context.Context) error
	// StopBare ends the process of the bare side, which a comparison of commits does not need.
	StopBare(ctx context.Context) error

	URL() string         // of the API
	Pool() *pgxpool.Pool // of the product's database
	BasicPlan() string
	Customers(ctx context.Context, n int) ([]string, error)
	// Trials inserts n subscriptions that need no workflow.
	Trials(ctx context.Context, n int) ([]stage.Subject, error)
	// Commanded starts n subscriptions whose workflows wait for commands.
	Commanded(ctx context.Context, n int) ([]stage.Subject, error)
	// Due starts n subscriptions that renew at the same time.
	Due(ctx context.Context, n int, due time.Time) ([]stage.Subject, error)

	Ask(ctx context.Context, method, url, body string, want int, header ...string) ([]byte, error)
	Read(ctx context.Context, base, id string) error
	Command(ctx context.Context, name, id string) error
	// Callbacks makes the simulator call the API for every payment, or for none.
	Callbacks(ctx context.Context, on bool) error
	CallbacksStored(ctx context.Context) (int, error)

	// Watch waits until each of the renewals is paid, and returns the time of the last payment.
	Watch(ctx context.Context, due time.Time, subjects []stage.Subject) (time.Time, error)
	NotChargedOnce(ctx context.Context, subjects []stage.Subject) (int, error)
	// Settle waits until the rig's processes are nearly idle, or patience ends.
	Settle(ctx context.Context, patience time.Duration)
	ProcessorUsage() machine.Usage
}

// Config is the configuration of a rig.
type Config struct {
	Temporal string // dev or postgres
	Binary   string // perennial
	State    string // directory for servers
	Say      func(format string, args ...any)
}

// sampler is one side of a comparison: a rig that performs orders.
type sampler struct {
	Rig
	customers []string
	reads     []stage.Subject // the subjects of get
	commanded []stage.Subject
	waves     map[string]*wave
	created   int  // requests so far, for their keys
	wakes     bool // commands leave a mark, which the workflow clears when it acts; otherwise they wait for it
}

// Run runs the process of one side. It reads orders from stdin and writes samples to stdout until stdin ends. It stops
// the rig that start returns, also after an error.
func Run(ctx context.Context, args []string, start func(context.Context, Config) (Rig, error)) (err error) {
	c, name := Config{}, ""
	flags := flag.NewFlagSet("samples", flag.ContinueOnError)
	flags.StringVar(&c.Binary, "binary", "", "the perennial to measure")
	flags.StringVar(&c.State, "state", "", "where servers live")
	flags.StringVar(&name, "name", "", "of the side, for progress")
	flags.StringVar(&c.Temporal, "temporal", "dev", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if c.State, err = filepath.Abs(c.State); err != nil {
		return err
	}
	c.Say = func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "         %-8s%s\n", name, fmt.Sprintf(format, args...))
	}
	r, err := start(ctx, c)
	defer func() { err = errors.Join(err, r.Stop(ctx)) }()
	if err != nil {
		return err
	}
	s := &sampler{Rig: r, waves: map[string]*wave{}}
	if err := s.begin(ctx); err != nil {
		return err
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	if err := out.Encode(Sample{}); err != nil { // ready
		return err
	}
	for {
		var asked Order
		if err := in.Decode(&asked); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		got, err := s.take(ctx, asked)
		if err != nil {
			got.Failed = err.Error()
		}
		if err := out.Encode(got); err != nil {
			return err
		}
	}
}

// begin stops the bare side, which a comparison of commits does not need, and creates the subjects of get and create.
func (s *sampler) begin(ctx context.Context) (err error) {
	if err := s.StopBare(ctx); err != nil {
		return err
	}
	if s.customers, err = s.Customers(ctx, 500); err != nil {
		return err
	}
	if s.reads, err = s.Trials(ctx, 1000); err != nil {
		return err
	}
	// autovacuum does this within a minute. Until then, plans are those of empty tables, where all indexes cost the same:
	// a read of a subscription then uses a random index, which differs from commit to commit.
	if _, err := s.Pool().Exec(ctx, "analyze"); err != nil {
		return err
	}
	return s.Pool().QueryRow(ctx, `select exists (select from information_schema.columns
		where table_name = 'subscriptions' and column_name = 'wake_pending_since')`).Scan(&s.wakes)
}

func (s *sampler) take(ctx context.Context, o Order) (Sample, error) {
	switch o.Do {
	case "get":
		order := rand.New(rand.NewPCG(1, 1)).Perm(len(s.reads)) // the same on both sides
		return s.load(ctx, o.Clients, load.Until{After: o.Lasts}, func(ctx context.Context, i int) error {
			return s.Read(ctx, s.URL(), s.reads[order[i%len(order)]].SubscriptionID)
		})
	case "create":
		session := s.created
		s.created++
		return s.load(ctx, o.Clients, load.Until{After: o.Lasts}, func(ctx context.Context, i int) error {
			key := strconv.Itoa(session) + "-" + strconv.Itoa(i)
			body := bare.CreateBody(s.customers[i%len(s.customers)], s.BasicPlan())
			_, err := s.Ask(ctx, http.MethodPost, s.URL()+"/api/subscriptions", body, http.StatusCreated,
				"Idempotency-Key", key)
			return err
		})
	case "subjects":
		return Sample{}, s.subjects(ctx, o.Count)
	case "command":
		return s.load(ctx, o.Clients, load.Until{Count: len(s.commanded)}, func(ctx context.Context, i int) error {
			return s.Command(ctx, o.Name, s.commanded[i].SubscriptionID)
		})
	case "prepare":
		w := &wave{due: o.Due}
		s.waves[o.Name] = w
		var err error
		w.subjects, err = s.Due(ctx, o.Count, o.Due)
		return Sample{}, err
	case "wave":
		return s.wave(ctx, s.waves[o.Name], o)
	default:
		return Sample{}, fmt.Errorf("no such order: %s", o.Do)
	}
}

// load runs clients and waits until all effects of their requests are complete.
func (s *sampler) load(
	ctx context.Context, clients int, end load.Until, ask func(context.Context, int) error,
) (Sample, error) {
	s.quiet(ctx, time.Now().Add(patienceOfSampler))
	before := s.ProcessorUsage()
	l, err := load.Drive(ctx, clients, end, ask)
	if err != nil {
		return Sample{}, err
	}
	if s.wakes {
		if err := load.WakesDone(ctx, s.Pool()); err != nil {
			return Sample{}, err
		}
	}
	s.quiet(ctx, time.Now().Add(patienceOfSampler))
	return Sample{Rate: l.Rate(), P50: l.P50, P99: l.P99, CPU: s.used(before, l.Count)}, nil
}

// patienceOfSampler limits the wait of a sample for the effects of the last one.
const patienceOfSampler = time.Minute

// quiet is Settle with a time of day.
func (s *sampler) quiet(ctx context.Context, until time.Time) { s.Settle(ctx, time.Until(until)) }

// used returns the ProcessorUsage since before, without this process.
func (s *sampler) used(before machine.Usage, n int) map[string]float64 {
	cpu := s.ProcessorUsage().Each(before, n)
	delete(cpu, "load generator")
	return cpu
}

// subjects starts n subscriptions whose workflows wait for commands.
func (s *sampler) subjects(ctx context.Context, n int) (err error) {
	s.commanded, err = s.Commanded(ctx, n)
	return err
}
