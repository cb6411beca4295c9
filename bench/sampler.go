package main

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
	"perennial/bench/stage"
)

// The files sampler*.go, before*.go, callbacks.go and main.go are copied into the clone of each commit that is
// compared, so that the same code measures all of them. They use nothing that earlier commits lack.

// order is one thing that a comparison asks of a side; it is answered with one sample.
type order struct {
	Do        string        `json:"do"` // get, create, subjects, command, prepare or wave
	Clients   int           `json:"clients"`
	Lasts     time.Duration `json:"lasts"` // get and create
	Count     int           `json:"count"` // of subscriptions that subjects and prepare make
	Name      string        `json:"name"`  // of the command, or of the wave
	Due       time.Time     `json:"due"`   // of the wave
	Until     time.Time     `json:"until"` // the wave may trail off until then
	Callbacks bool          `json:"callbacks"`
	Reads     bool          `json:"reads"` // during the wave
}

// sample is what was measured. Processor times are those of servers and product until all that the requests caused was
// done, workflows included; the load generator does not count.
type sample struct {
	Rate      float64            `json:"rate,omitempty"`      // per second
	P50       float64            `json:"p50,omitempty"`       // milliseconds
	P99       float64            `json:"p99,omitempty"`       // of a wave: of the reads during it
	CPU       map[string]float64 `json:"cpu,omitempty"`       // milliseconds of one operation, by process
	Callbacks int                `json:"callbacks,omitempty"` // stored during a wave
	Notes     []string           `json:"notes,omitempty"`     // what disturbed it
	Failed    string             `json:"failed,omitempty"`
}

// processor is the sum of all processes.
func (s sample) processor() float64 {
	sum := 0.0
	for _, ms := range s.CPU {
		sum += ms
	}
	return sum
}

// sampler is one side of a comparison: a rig that measures what it is told to.
type sampler struct {
	*rig
	customers []string
	reads     []stage.Subject // what get reads
	commanded []stage.Subject
	waves     map[string]*wave
	created   int  // requests so far, for their keys
	wakes     bool // commands leave a mark, which the workflow clears when it acts; else they wait for it
}

// takeSamples is the process of one side. It reads orders from stdin and writes samples to stdout until stdin ends.
func takeSamples(ctx context.Context, args []string) (err error) {
	o, name := options{scale: "small", rounds: 1}, ""
	flags := flag.NewFlagSet("samples", flag.ContinueOnError)
	flags.StringVar(&o.binary, "binary", "", "the perennial to measure")
	flags.StringVar(&o.state, "state", "", "where servers live")
	flags.StringVar(&name, "name", "", "of the side, for progress")
	kind := flags.String("temporal", "dev", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.state, err = filepath.Abs(o.state); err != nil {
		return err
	}
	r, err := newRig(ctx, o, *kind, func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "         %-8s%s\n", name, fmt.Sprintf(format, args...))
	})
	defer func() { err = errors.Join(err, r.stop(ctx)) }()
	if err != nil {
		return err
	}
	s := &sampler{rig: r, waves: map[string]*wave{}}
	if err := s.begin(ctx); err != nil {
		return err
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	if err := out.Encode(sample{}); err != nil { // ready
		return err
	}
	for {
		var asked order
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

// begin stops the bare side, which a comparison of commits does not need, and makes what get and create work on.
func (s *sampler) begin(ctx context.Context) (err error) {
	if err := s.bare.process.Stop(ctx); err != nil {
		return err
	}
	delete(s.pids, "bare")
	if s.customers, err = s.stage.Customers(ctx, s.ours.store, 500, time.Now()); err != nil {
		return err
	}
	if s.reads, err = s.stage.Trials(ctx, s.ours.store, 1000, time.Now()); err != nil {
		return err
	}
	if err := s.noteStarted(ctx, s.reads); err != nil {
		return err
	}
	// As autovacuum does within a minute. Until then plans are those of empty tables, where all indexes cost the same:
	// which one a read of a subscription takes is then chance, and differs from commit to commit.
	if _, err := s.ours.pool.Exec(ctx, "analyze"); err != nil {
		return err
	}
	return s.ours.pool.QueryRow(ctx, `select exists (select from information_schema.columns
		where table_name = 'subscriptions' and column_name = 'wake_pending_since')`).Scan(&s.wakes)
}

func (s *sampler) take(ctx context.Context, o order) (sample, error) {
	switch o.Do {
	case "get":
		order := rand.New(rand.NewPCG(1, 1)).Perm(len(s.reads)) // the same on both sides
		return s.load(ctx, o.Clients, until{after: o.Lasts}, func(ctx context.Context, i int) error {
			return s.read(ctx, s.ours.url, s.reads[order[i%len(order)]].SubscriptionID)
		})
	case "create":
		session := s.created
		s.created++
		return s.load(ctx, o.Clients, until{after: o.Lasts}, func(ctx context.Context, i int) error {
			key := strconv.Itoa(session) + "-" + strconv.Itoa(i)
			body := bare.CreateBody(s.customers[i%len(s.customers)], s.stage.Basic.ID)
			_, err := s.ask(ctx, http.MethodPost, s.ours.url+"/api/subscriptions", body, http.StatusCreated,
				"Idempotency-Key", key)
			return err
		})
	case "subjects":
		return sample{}, s.subjects(ctx, o.Count)
	case "command":
		return s.load(ctx, o.Clients, until{count: len(s.commanded)}, func(ctx context.Context, i int) error {
			return s.command(ctx, o.Name, s.commanded[i].SubscriptionID)
		})
	case "prepare":
		w := wave{side: sideOurs, due: o.Due}
		s.waves[o.Name] = &w
		return sample{}, s.prepareWave(ctx, &w, o.Count)
	case "wave":
		return s.wave(ctx, s.waves[o.Name], o)
	default:
		return sample{}, fmt.Errorf("no such order: %s", o.Do)
	}
}

// load drives clients and waits until all that they caused is done.
func (s *sampler) load(
	ctx context.Context, clients int, end until, ask func(context.Context, int) error,
) (sample, error) {
	s.quiet(ctx, time.Now().Add(patienceOfSampler))
	before := s.processorUsage()
	l, err := drive(ctx, clients, end, ask)
	if err != nil {
		return sample{}, err
	}
	if s.wakes {
		if err := s.wakesDone(ctx); err != nil {
			return sample{}, err
		}
	}
	s.quiet(ctx, time.Now().Add(patienceOfSampler))
	return sample{Rate: l.rate(), P50: l.P50, P99: l.P99, CPU: s.used(before, l.Count)}, nil
}

// patienceOfSampler is how long a sample waits until what the one before has caused is done.
const patienceOfSampler = time.Minute

// quiet is settle with a patience of its own.
func (s *sampler) quiet(ctx context.Context, until time.Time) {
	was := s.patience
	s.patience = time.Until(until)
	s.settle(ctx)
	s.patience = was
}

// used is processorUsage since before, without ours.
func (s *sampler) used(before usage, n int) map[string]float64 {
	cpu := s.processorUsage().each(before, n)
	delete(cpu, "load generator")
	return cpu
}

// wakesDone waits until each workflow has acted on the command that it was woken for.
func (r *rig) wakesDone(ctx context.Context) error {
	return noWorkflow(ctx, r.ours.pool, "has not acted", "wake_pending_since is not null")
}

// noWorkflow waits until no subscription is left that meets a condition: what its workflow has not done yet.
func noWorkflow(ctx context.Context, pool *pgxpool.Pool, whose, condition string) error {
	return eventually(ctx, "the last workflow", func() error {
		var left int
		err := pool.QueryRow(ctx, "select count(*) from subscriptions where "+condition).Scan(&left)
		if err == nil && left > 0 {
			err = fmt.Errorf("the workflow of %d subscriptions %s yet", left, whose)
		}
		return err
	})
}

// subjects starts n subscriptions whose workflows wait for commands.
func (s *sampler) subjects(ctx context.Context, n int) (err error) {
	if s.commanded, err = s.stage.Trials(ctx, s.ours.store, n, time.Now()); err != nil {
		return err
	}
	if err := s.startOursAll(ctx, s.commanded); err != nil {
		return err
	}
	return s.begun(ctx, s.ours.temporal, s.commanded)
}
