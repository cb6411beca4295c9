package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"perennial/cmd/perennial/cli"
	"perennial/internal/config"
)

// Command is the first thing to run where something is wrong. Scripts read its JSON and its exit code: names of
// checks and verdicts stay as they are.
func Command() *cli.Command {
	return &cli.Command{
		Name: "doctor", Summary: "check everything that Perennial needs, and say how to fix it",
		About: "It reads the same settings as the API and the workers, so run it where they run. It writes one row of its own, to find\n" +
			"out whether the database takes writes, and changes nothing else. Exit code 1 where a check failed; warnings do not count.",
		Examples: []string{"perennial doctor", "perennial doctor --json"},
		Setup: func(f *flag.FlagSet) cli.Action {
			asJSON := f.Bool("json", false, "one JSON object instead of lines")
			patience := f.Duration("timeout", 5*time.Second, "how long one check may take, a `duration`")
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				report := examine(ctx, p, *patience)
				if err := report.print(p.Stdout, *asJSON); err != nil {
					return err
				}
				if report.failed() {
					return cli.ErrTold
				}
				return nil
			}
		},
	}
}

// The verdicts of a check.
const (
	good    = "ok"
	warning = "warning" // works, but somebody should know
	bad     = "failed"
)

// finding is the result of one check. Fix says what to do, in words that a person can follow at night; it is empty
// where nothing is wrong.
type finding struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict"`
	Detail  string `json:"detail"`
	Fix     string `json:"fix,omitempty"`
}

// report is all findings, in the order of the checks.
type report []finding

func (r *report) ok(check, detail string, args ...any) {
	*r = append(*r, finding{check, good, fmt.Sprintf(detail, args...), ""})
}

func (r *report) warn(check, fix, detail string, args ...any) {
	*r = append(*r, finding{check, warning, fmt.Sprintf(detail, args...), fix})
}

func (r *report) fail(check, fix, detail string, args ...any) {
	*r = append(*r, finding{check, bad, fmt.Sprintf(detail, args...), fix})
}

func (r *report) failed() bool {
	for _, f := range *r {
		if f.Verdict == bad {
			return true
		}
	}
	return false
}

// examine runs one check after the other. A check that needs a broken part is left out: one cause, one line.
func examine(ctx context.Context, p *cli.Process, patience time.Duration) *report {
	var r report
	c, err := p.Config(config.Doctor)
	var faults config.Faults
	if errors.As(err, &faults) {
		for _, f := range faults {
			r.fail("configuration", f.Fix, "%s %s", f.Variable, f.Problem)
		}
		return &r
	}
	r.ok("configuration", "complete")
	d := &doctor{report: &r, config: c, now: p.Now, patience: patience}
	store := d.database(ctx)
	// Temporal is checked nevertheless: both may be broken, and different people may have to fix them.
	if store == nil {
		d.temporal(ctx, nil)
		return &r
	}
	defer store.Close()
	d.temporal(ctx, store.Reconcile)
	d.backlog(ctx, store)
	d.webhooks(ctx, store)
	d.emails(ctx, store)
	return &r
}

// doctor has what the checks share.
type doctor struct {
	*report
	config   config.Config
	now      func() time.Time
	patience time.Duration
}

// within bounds the time of one check: one that hangs must not delay the report of the others.
func (d *doctor) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d.patience)
}

func (r *report) print(out io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Healthy bool      `json:"healthy"`
			Checks  []finding `json:"checks"`
		}{!r.failed(), *r})
	}
	for _, f := range *r {
		if _, err := fmt.Fprintf(out, "%-8s %-22s %s\n", f.Verdict, f.Check, f.Detail); err != nil {
			return err
		}
		if f.Fix == "" {
			continue
		}
		if _, err := fmt.Fprintf(out, "%-8s %-22s fix: %s\n", "", "", f.Fix); err != nil {
			return err
		}
	}
	return nil
}
