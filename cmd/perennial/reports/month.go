package reports

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apiinvoices "perennial/api/invoices"
	"perennial/billing/monthly"
	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/flags"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	"perennial/service/invoices"
	"perennial/service/usecase"
)

// progressEvery is the pause between two lines of progress.
const progressEvery = 5 * time.Second

func monthCommand() *cli.Command {
	return &cli.Command{
		Name: "month", Summary: "write the figures and the documents of a month", Arguments: "YYYY-MM",
		About: "CSV files for a spreadsheet, in a folder: " + strings.Join(tables, ", ") + ".\n" +
			"--only writes one of them to standard output. Amounts are in major units, with a point. json writes the\n" +
			"figures and the taxes as the API shows them, in minor units. docs/months-end.md says what each column means.\n" +
			"The month begins at midnight in the environment's time zone. Of a month that is not over, the figures are those\n" +
			"so far, and a line on standard error says so. Exit code 3: the receivables of a currency do not add up.",
		Examples: []string{
			"perennial report month --tenant Acme --app Shop --mode live --out november 2026-11",
			"perennial report month --tenant Acme --app Shop --mode live --only taxes 2026-11 > taxes.csv",
			"perennial report month --tenant Acme --app Shop --mode live --format json 2026-11",
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			var in monthFlags
			in.environment.Declare(f)
			f.StringVar(&in.format, "format", "csv", "how the report is written, `csv|json`")
			f.StringVar(&in.out, "out", "", "`folder` for the CSV files; it is made where it does not exist")
			f.StringVar(&in.only, "only", "", "write this `table` alone, to standard output: "+strings.Join(tables, "|"))
			return in.run
		},
	}
}

// monthFlags are the flags as they were typed.
type monthFlags struct {
	environment flags.Environment
	format      string
	out         string
	only        string
}

// check refuses what can be refused without a database.
func (in *monthFlags) check(args []string) (monthly.Month, error) {
	if len(args) != 1 {
		return monthly.Month{}, cli.Usagef("name the month, such as 2026-11")
	}
	m, err := monthly.Parse(args[0])
	switch {
	case err != nil:
		return m, cli.Usagef("%q is no month; name one such as 2026-11", args[0])
	case in.format != "csv" && in.format != "json":
		return m, cli.Usagef("--format is csv or json, not %q", in.format)
	case in.format == "json" && (in.out != "" || in.only != ""):
		return m, cli.Usagef("--format json writes the figures to standard output; --out and --only are of csv")
	case in.only != "" && !slices.Contains(tables, in.only):
		return m, cli.Usagef("--only is one of %s, not %q", strings.Join(tables, ", "), in.only)
	case in.format == "csv" && (in.out == "") == (in.only == ""):
		return m, cli.Usagef("give --out FOLDER for all tables, or --only TABLE for one on standard output")
	}
	return m, in.environment.Check()
}

func (in *monthFlags) run(ctx context.Context, p *cli.Process, args []string) error {
	m, err := in.check(args)
	if err != nil {
		return err
	}
	return wire.WithStore(ctx, p, func(store *db.Store, _ config.Config) error {
		by, err := in.environment.Caller(ctx, p, store)
		if err != nil {
			return err
		}
		s := service.New(store, p.Now).Invoices
		report, err := in.write(ctx, p, s, by, m)
		if err != nil {
			return err
		}
		return in.told(p, report)
	})
}

// write writes the report in the form that was asked for.
func (in *monthFlags) write(
	ctx context.Context, p *cli.Process, s *invoices.Service, by usecase.Caller, m monthly.Month,
) (invoices.MonthReport, error) {
	take := invoices.MonthDocuments{Progress: progress(p)}
	if in.format == "json" {
		report, err := s.Month(ctx, by, m, take)
		if err != nil {
			return report, err
		}
		out := json.NewEncoder(p.Stdout)
		out.SetIndent("", "  ")
		return report, out.Encode(struct {
			apiinvoices.MonthReport
			Taxes []apiinvoices.MonthTax `json:"taxes"`
		}{apiinvoices.RenderMonth(report), apiinvoices.RenderMonthTaxes(report.Taxes()).Data})
	}
	files, err := in.files(p)
	if err != nil {
		return invoices.MonthReport{}, err
	}
	files.take(&take)
	report, err := s.Month(ctx, by, m, take)
	if err == nil {
		err = files.figures(report)
	}
	if closed := files.close(err == nil); err == nil {
		err = closed
	}
	return report, err
}

// files opens the tables that are asked for.
func (in *monthFlags) files(p *cli.Process) (*output, error) {
	if in.only != "" {
		return newOutput(func(table string) (*sheet, error) {
			if table != in.only {
				return nil, nil //nolint:nilnil // this table is not asked for
			}
			return newSheet(p.Stdout, nil), nil
		})
	}
	if err := os.MkdirAll(in.out, 0o750); err != nil {
		return nil, fmt.Errorf("the folder cannot be made: %w", err)
	}
	return newOutput(func(table string) (*sheet, error) {
		// Written beside, and renamed when all is there: a report that broke off leaves no file that looks whole.
		f, err := os.OpenFile(filepath.Join(in.out, table+".csv.part"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, fmt.Errorf("the file cannot be written: %w", err)
		}
		return newSheet(f, f), nil
	})
}

// progress says how far the report is, now and then.
func progress(p *cli.Process) func(int) {
	began := p.Now()
	shown := began
	return func(documents int) {
		if now := p.Now(); now.Sub(shown) >= progressEvery {
			shown = now
			// A terminal that is gone ends no report.
			_, _ = fmt.Fprintf(p.Stderr, "%d documents, %d documents/s\n", documents,
				int(int64(documents)*int64(time.Second)/int64(now.Sub(began))))
		}
	}
}

// told says what a person must know about the figures.
func (in *monthFlags) told(p *cli.Process, r invoices.MonthReport) error {
	if !r.Complete {
		if _, err := fmt.Fprintf(p.Stderr, "warning: %s is not over in %s; these are the figures so far\n", r.Month,
			r.TimeZone); err != nil {
			return err
		}
	}
	var off bool
	for _, s := range r.Sections() {
		if s.Receivables.Difference() != 0 || s.Credit.Difference() != 0 {
			off = true
			_, err := fmt.Fprintf(p.Stderr, "%s: the receivables are off by %d minor units, and the credit by %d; "+
				"report this as a fault\n", s.Currency, s.Receivables.Difference(), s.Credit.Difference())
			if err != nil {
				return err
			}
		}
	}
	if off {
		return cli.ErrDiffers
	}
	return nil
}
