package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"perennial/bench/internal/scenario"
)

// commandLine has the values of the flags.
type commandLine struct {
	scenario.Options
	only     []string
	temporal []string
	results  string // directory
	state    string // directory for servers and tools
	binary   string // perennial; empty: built first
	profile  bool
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
	_, _ = io.WriteString(w, help) // a failed write cannot be reported
	for _, s := range scenario.All {
		_, _ = fmt.Fprintf(w, "  %-15s %s\n", s.Name, s.Summary) // as above
	}
}

func parse(args []string, now time.Time) (commandLine, error) {
	o := commandLine{}
	var only, temporal string
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // usage has a better text
	flags.StringVar(&o.Scale, "scale", "small", "")
	flags.StringVar(&only, "only", "", "")
	flags.StringVar(&temporal, "temporal", "both", "")
	flags.IntVar(&o.Rounds, "rounds", 0, "")
	flags.BoolVar(&o.Writes, "writes", false, "")
	flags.BoolVar(&o.Hears, "callbacks", false, "")
	flags.Uint64Var(&o.Seed, "seed", uint64(now.UnixNano()), "")
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
	if o.Scale != "small" && o.Scale != "full" {
		return o, fmt.Errorf("--scale %s: choose small or full", o.Scale)
	}
	if o.Rounds == 0 {
		o.Rounds = scenario.Pick(o.Options, 1, 3)
	}
	if o.Rounds < 1 {
		return o, errors.New("--rounds: give at least 1")
	}
	return o, o.choose(only)
}

func (o *commandLine) choose(only string) error {
	o.only = scenario.Names()
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
