package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// scenario is one path of the benchmark.
type scenario struct {
	name    string
	summary string
	run     func(context.Context, *rig, options) (result, error)
}

// scenarios in the order in which they run: memory first, on empty databases.
var scenarios = []scenario{
	{"memory", "a worker with 10,000 sleeping subscriptions, and what each costs in both databases", memory},
	{"get", "GET /api/subscriptions/{id}", get},
	{"access", "GET /api/customers/{id}/access, 1 / 32 clients", access},
	{"preview", "POST /api/subscriptions/{id}/preview of a change of plan, 1 / 32 clients", preview},
	{"create", "POST /api/subscriptions with a trial, 1 / 32 / 128 clients", create},
	{"commands", "cancel and patch", commands},
	{"usage", "POST /api/usage, 1 / 32 clients, and batches of 1,000 records beside COPY", recordUsage},
	{"rating", "a day's usage of a subscription by region, and amounts in tiers", rateUsage},
	{"import", "perennial import of customers and of subscriptions, beside COPY", importRecords},
	{"payments", "POST /api/payments to its final status, 1 / 32 clients", payments},
	{"testclock", "12 paid months on a test clock", testclock},
	{"renewals", "500 paid renewals", renewals},
	{"storm", "2,000 renewals due in the same second, and reads meanwhile", storm},
	{"deliveries", "webhook deliveries to 1 and to 100 endpoints", deliveries},
	{"receipt", "from the commit of an event to its receipt, at 100 events/s", receipt},
	{"beside-webhooks", "500 paid renewals with a webhook endpoint and without", besideWebhooks},
	{"beside-hanging", "500 paid renewals while another provider hangs, and before", besideHanging},
}

// options is what the command line says.
type options struct {
	scale    string
	rounds   int
	only     []string
	temporal []string
	seed     uint64
	results  string // directory
	state    string // directory for servers and tools
	binary   string // perennial; empty: built first
	profile  bool
	writes   bool // renewals: a third wave, whose bare side keeps its writes only
	hears    bool // renewals: the provider's callbacks reach our side
}

// size is what pick chooses between.
type size interface{ ~int | ~int64 }

// pick gives the figure of the scale.
func pick[T size](o options, small, full T) T {
	if o.scale == "full" {
		return full
	}
	return small
}

const help = `Usage: go run ./bench [flags]           measure, print a table, write bench/results/<date>-<commit>.json
       go run ./bench report [file ...]   write docs/performance.md from results; default: the newest full ones
       go run ./bench before [flags] COMMIT  measure an earlier commit beside this one; --help tells more

Each path of the product is measured beside a bare side in the same run, on the same servers, taking turns: plain
Temporal SDK, pgx and net/http that play the same transactions and make the same HTTP call, with empty logic.
PostgreSQL and Temporal are started for the run and forgotten after it.

Flags:
  --scale small|full          small tries everything in some minutes; full has the figures of the goals (default small)
  --only path,...             some scenarios only (default all)
  --temporal dev|postgres|both  which Temporal server (default both)
  --rounds n                  samples of each side (default 1 for small, 3 for full)
  --seed n                    of the order in which subscriptions are read (default: from the time)
  --profile                   take a processor profile of API and worker while each scenario runs
  --writes                    renewals: also a wave that plays the writes only, best in a run of its own
  --callbacks                 renewals: the provider calls our API back about each payment; the bare side has no API
  --binary file               measure this perennial instead of building one
  --results dir               where results go (default bench/results)
  --state dir                 where servers live during the run (default .perennial)

Scenarios:
`

func showUsage(w io.Writer) {
	_, _ = io.WriteString(w, help) // nowhere else to say it
	for _, s := range scenarios {
		_, _ = fmt.Fprintf(w, "  %-15s %s\n", s.name, s.summary) // nor here
	}
}

func parse(args []string, now time.Time) (options, error) {
	o := options{}
	var only, temporal string
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // what it would say is said better by usage
	flags.StringVar(&o.scale, "scale", "small", "")
	flags.StringVar(&only, "only", "", "")
	flags.StringVar(&temporal, "temporal", "both", "")
	flags.IntVar(&o.rounds, "rounds", 0, "")
	flags.BoolVar(&o.writes, "writes", false, "")
	flags.BoolVar(&o.hears, "callbacks", false, "")
	flags.Uint64Var(&o.seed, "seed", uint64(now.UnixNano()), "")
	flags.BoolVar(&o.profile, "profile", false, "")
	flags.StringVar(&o.binary, "binary", "", "")
	flags.StringVar(&o.results, "results", "bench/results", "")
	flags.StringVar(&o.state, "state", ".perennial", "")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is too much: see --help", flags.Arg(0))
	}
	switch temporal {
	case "both":
		o.temporal = []string{"dev", "postgres"}
	case "dev", "postgres":
		o.temporal = []string{temporal}
	default:
		return o, fmt.Errorf("--temporal %s: choose dev, postgres or both", temporal)
	}
	if o.scale != "small" && o.scale != "full" {
		return o, fmt.Errorf("--scale %s: choose small or full", o.scale)
	}
	if o.rounds == 0 {
		o.rounds = pick(o, 1, 3)
	}
	if o.rounds < 1 {
		return o, errors.New("--rounds: give at least 1")
	}
	return o, o.choose(only)
}

func (o *options) choose(only string) error {
	for _, s := range scenarios {
		o.only = append(o.only, s.name)
	}
	if only == "" {
		return nil
	}
	known := o.only
	o.only = strings.Split(only, ",")
	for _, name := range o.only {
		if !slices.Contains(known, name) {
			return fmt.Errorf("--only %s: there is no such scenario; choose of %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}
