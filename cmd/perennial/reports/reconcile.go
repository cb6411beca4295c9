package reports

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"strconv"

	"perennial/billing/monthly"
	"perennial/billing/reconciliation"
	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/flags"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/providers/settlement"
	"perennial/service"
	"perennial/service/invoices"
	"perennial/service/payments"
	"perennial/service/usecase"
)

func reconcileCommand() *cli.Command {
	return &cli.Command{
		Name: "reconcile", Summary: "compare the payments of a month with the files of a payment provider",
		About: "Every difference is a row of CSV on standard output, the summary is on standard error: what is in the files and not\n" +
			"here, what is here and not in the files, amounts, currencies and states that differ, refunds and disputes, fees that\n" +
			"do not add up, and entries that appear twice. Fees are added up; payments here have none.\n" +
			"stripe: the itemized report \"Balance change from activity\" or \"Payout reconciliation\". adyen: the \"Settlement\n" +
			"details report\". pawapay: the statement of a wallet. flutterwave publishes no format: write its transactions in the\n" +
			"neutral one (docs/months-end.md). Give --file again for each file that has payments of the month.\n" +
			"Exit code 3: there are differences.",
		Examples: []string{
			"perennial report reconcile --tenant Acme --app Shop --mode live --provider stripe --file balance.csv --month 2026-11",
			"perennial report reconcile --tenant Acme --app Shop --mode live --provider flutterwave --format neutral " +
				"--file f.csv --month 2026-11",
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			var in reconcileFlags
			in.environment.Declare(f)
			f.StringVar(&in.provider, "provider", "", "`identifier` of the payment provider: stripe|adyen|pawapay|flutterwave (required)")
			f.Var(&in.files, "file", "`file` of the provider; may be repeated (required)")
			f.StringVar(&in.month, "month", "", "`month` whose payments the files should have, such as 2026-11 (required)")
			f.StringVar(&in.format, "format", "", "`neutral` for the format of docs/months-end.md (default: the provider's own)")
			return in.run
		},
	}
}

// reconcileFlags are the flags as they were typed.
type reconcileFlags struct {
	environment             flags.Environment
	provider, month, format string
	files                   flags.List
}

func (in *reconcileFlags) run(ctx context.Context, p *cli.Process, args []string) error {
	if len(args) > 0 {
		return cli.Usagef("unexpected argument %q; name files with --file", args[0])
	}
	m, err := monthly.Parse(in.month)
	switch {
	case in.provider == "" || len(in.files) == 0 || in.month == "":
		return cli.Usagef("--provider, --file and --month are required")
	case err != nil:
		return cli.Usagef("%q is no month; name one such as 2026-11", in.month)
	}
	if err := in.environment.Check(); err != nil {
		return err
	}
	readers, done, err := in.open()
	if err != nil {
		return err
	}
	defer done()
	return wire.WithStore(ctx, p, func(store *db.Store, _ config.Config) error {
		by, err := in.environment.Caller(ctx, p, store)
		if err != nil {
			return err
		}
		return in.compare(ctx, p, service.New(store, p.Now).Payments, by, m, readers)
	})
}

// open opens all files and reads their heads before anything is compared.
func (in *reconcileFlags) open() (readers []*settlement.Reader, done func(), err error) {
	var opened []*os.File
	done = func() {
		for _, f := range opened {
			_ = f.Close() // only read
		}
	}
	for _, path := range in.files {
		f, err := os.Open(path) // #nosec G304 -- the person at the terminal names it
		if err != nil {
			done()
			return nil, nil, cli.Usagef("the file cannot be opened: %v", err)
		}
		opened = append(opened, f)
		r, err := settlement.Open(in.provider, in.format, f)
		if err != nil {
			done()
			return nil, nil, cli.Usagef("%s: %s", path, cli.Describe(err))
		}
		readers = append(readers, r)
	}
	return readers, done, nil
}

func (in *reconcileFlags) compare(
	ctx context.Context, p *cli.Process, s *payments.Service, by usecase.Caller, m monthly.Month,
	readers []*settlement.Reader,
) error {
	from, to, err := invoices.SpanOf(by, m)
	if err != nil {
		return err
	}
	out := csv.NewWriter(p.Stdout)
	err = out.Write([]string{
		"difference", "line", "provider_reference", "payment", "at", "file_amount", "file_currency", "amount", "currency",
		"detail",
	})
	if err != nil {
		return err
	}
	summary, err := s.Settled(ctx, by, payments.SettledInput{
		Provider: in.provider, From: from, To: to, Files: readers, Progress: entries(p),
		Found: func(d reconciliation.Difference) error { return out.Write(differenceRow(d)) },
	})
	if out.Flush(); err == nil {
		err = out.Error()
	}
	if err != nil {
		return err
	}
	if err := summarize(p, in.provider, m, summary); err != nil {
		return err
	}
	if len(summary.Differences) > 0 {
		return cli.ErrDiffers
	}
	return nil
}

func differenceRow(d reconciliation.Difference) []string {
	line, at := "", ""
	if d.Line > 0 {
		line = strconv.Itoa(d.Line)
	}
	if !d.At.IsZero() {
		at = moment(d.At)
	}
	return []string{
		string(d.Code), line, text(d.Reference), text(d.PaymentID), at, shown(d.Theirs), string(d.Theirs.Currency),
		shown(d.Ours), string(d.Ours.Currency), text(d.Detail),
	}
}

func shown(a reconciliation.Amount) string {
	if a.Currency == "" {
		return ""
	}
	return amount(a.Amount, a.Currency)
}

// entries says how far the comparison is, now and then.
func entries(p *cli.Process) func(int) {
	shown := p.Now()
	return func(n int) {
		if now := p.Now(); now.Sub(shown) >= progressEvery {
			shown = now
			_, _ = fmt.Fprintf(p.Stderr, "%d entries\n", n) // a terminal that is gone ends no comparison
		}
	}
}

// summarize writes the summary.
func summarize(p *cli.Process, provider string, m monthly.Month, s reconciliation.Summary) (err error) {
	say := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(p.Stderr, format, args...)
		}
	}
	say("%s, %s: %d entries, %d of them about payments of other months; %d payments here, %d of them in the files\n",
		provider, m, s.Entries, s.Earlier, s.Payments, s.Accounted)
	for _, c := range s.Currencies() {
		of := s.Sums[c]
		say("%s: charged %s, refunded %s, disputed %s, fees %s\n", c, amount(of.Charged, c), amount(of.Refunded, c),
			amount(of.Disputed, c), amount(of.Fees, c))
	}
	if len(s.Differences) == 0 {
		say("no differences\n")
	}
	for _, code := range s.Codes() {
		say("%s: %d\n", code, s.Differences[code])
	}
	return err
}
