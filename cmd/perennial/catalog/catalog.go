package catalog

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	apicatalog "perennial/api/catalog"
	"perennial/billing/catalog"
	"perennial/billing/subscription"
	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/flags"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	servicecatalog "perennial/service/catalog"
	"perennial/service/usecase"
)

// Command is `perennial catalog`.
func Command() *cli.Command {
	return &cli.Command{
		Name: "catalog", Summary: "keep the catalogue of an environment in a file: compare, apply and export it",
		About: "A catalogue file describes plans, and products, tax rates, metrics and coupons, in YAML, each under a key of its own:\n\n" +
			"  products:\n" +
			"    mail: {name: Mail, taxCategory: saas}\n" +
			"  taxRates:\n" +
			"    de: {name: USt, percent: 19, country: DE, inclusive: true}\n" +
			"  metrics:\n" +
			"    api_calls: {aggregation: sum, groupBy: [region]}\n" +
			"  coupons:\n" +
			"    WELCOME: {percent: 20, duration: repeating, periods: 3, plans: [team-monthly]}\n" +
			"  plans:\n" +
			"    team-monthly:\n" +
			"      name: Team, monthly\n" +
			"      currency: EUR\n" +
			"      interval: month\n" +
			"      product: mail\n" +
			"      trialDays: 14\n" +
			"      prices:\n" +
			"        - {name: Base fee, amount: 4900}\n" +
			"        - name: Seats\n" +
			"          model: graduated\n" +
			"          tiers: [{upTo: 10, unitAmount: 450}, {unitAmount: 400}]\n" +
			"      migrate: preview\n\n" +
			"A plan has the fields of POST /plans, and active (default: true), id, which adopts a plan that was created without\n" +
			"the file, and migrate. A price has its amounts in further currencies under\n" +
			"currencies: {USD: {amount: 5500}}. Other prices or another trial make a new version of the plan. Running subscriptions keep\n" +
			"theirs; migrate: true moves them to the newest at the end of their period, and preview says what that would come to.\n" +
			"A product has the fields of POST /products, a tax rate those of POST /tax-rates and archived, a metric those of POST /metrics\n" +
			"under its name, and a coupon those of POST /coupons under its code, with keys of plans in plans; each but a tax rate has\n" +
			"active. id adopts a product or tax rate that was created without the file. What never changes (the percentage of a tax\n" +
			"rate, the discount of a coupon) is refused: describe another one. Another definition makes a new version of a metric.\n" +
			"A section that is not in the file is left alone; plans must be there. A plan without product keeps the one it has.\n" +
			"What the file has no longer is archived, in each of its sections; what has no key is left alone. To archive all active\n" +
			"plans in this way, or more than half of them, is refused without --allow-archive, and so it is in other sections.",
		Subcommands: []*cli.Command{diffCommand(), applyCommand(), exportCommand()},
		Examples: []string{
			"perennial catalog export --tenant Acme --app Shop --mode test > catalog.yaml",
			"perennial catalog diff --tenant Acme --app Shop --mode live -f catalog.yaml",
			"perennial catalog apply --tenant Acme --app Shop --mode live -f catalog.yaml",
		},
	}
}

func diffCommand() *cli.Command {
	return &cli.Command{
		Name: "diff", Summary: "show what applying a catalogue file would change",
		About: "Nothing is changed. Exit codes: 0 no difference, 3 differences, 1 failed, or a file that apply refuses.\n" +
			"Subscriptions that migrate: true has not moved yet, or that cannot be moved, are a difference. Of each plan that changes it\n" +
			"says how many subscriptions run on it, how many of them renew on another version than the newest, and what their next\n" +
			"periods come to as they are and on the newest version: prices only, before discounts, taxes and credit.",
		Examples: []string{"perennial catalog diff --tenant Acme --app Shop --mode live -f catalog.yaml"},
		Setup: func(f *flag.FlagSet) cli.Action {
			var in catalogFlags
			in.declare(f)
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				file, err := in.read(p)
				if err != nil {
					return err
				}
				return wire.WithStore(ctx, p, func(store *db.Store, _ config.Config) error {
					by, err := in.Caller(ctx, p, store)
					if err != nil {
						return err
					}
					changes, err := service.New(store, p.Now).Catalog.DiffCatalog(ctx, by, in.wanted(file))
					if err != nil {
						return file.At(err)
					}
					if err := warnUntaxed(ctx, p.Stderr, store, by, changes.Plans); err != nil {
						return err
					}
					differs, err := showCatalog(p.Stdout, changes, false)
					if err == nil && differs {
						return cli.ErrDiffers
					}
					return err
				})
			}
		},
	}
}

func applyCommand() *cli.Command {
	return &cli.Command{
		Name: "apply", Summary: "make a catalogue file true",
		About: "All of it changes in one transaction, or nothing. What is applied again changes nothing, and two at the same time wait for\n" +
			"each other. Then the subscriptions of plans with migrate: true are moved, one at a time, at the end of their period:\n" +
			"nothing is charged now. Where that is interrupted, or one is refused for now, the same command goes on. One that a newer\n" +
			"version has overtaken meanwhile is left to whoever made that. Prints the ids of the plans. Exit codes: 0 all is as the\n" +
			"file says; 1 failed and changed nothing, or changed the plans and was refused a subscription, which is printed.\n" +
			"`perennial catalog diff` shows the changes first.",
		Examples: []string{"perennial catalog apply --tenant Acme --app Shop --mode live -f catalog.yaml"},
		Setup: func(f *flag.FlagSet) cli.Action {
			var in catalogFlags
			in.declare(f)
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				file, err := in.read(p)
				if err != nil {
					return err
				}
				return wire.WithDispatcher(ctx, p, "catalog", func(store *db.Store) error {
					by, err := in.Caller(ctx, p, store)
					if err != nil {
						return err
					}
					return applyCatalog(ctx, p, service.New(store, p.Now), by, file, in.wanted(file))
				})
			}
		},
	}
}

func applyCatalog(
	ctx context.Context, p *cli.Process, s *service.Service, by usecase.Caller, file apicatalog.File,
	want servicecatalog.WantedCatalog,
) error {
	changes, err := s.Catalog.ApplyCatalog(ctx, by, want)
	if err != nil {
		return file.At(err)
	}
	if err := warnUntaxed(ctx, p.Stderr, s.Catalog.Store, by, changes.Plans); err != nil {
		return err
	}
	if _, err := showCatalog(p.Stdout, changes, true); err != nil {
		return err
	}
	refused := false
	for _, c := range changes.Plans {
		if !c.Moves() {
			continue
		}
		moved, err := s.Subscriptions.MigrateCatalogPlan(ctx, by, c)
		overtaken := errors.Is(err, subscription.ErrSuperseded)
		if err := showMoved(p.Stdout, c, moved, overtaken); err != nil {
			return err
		}
		if err != nil && !overtaken {
			return err
		}
		refused = refused || overtaken || len(moved.Refused) > 0
	}
	if refused {
		return cli.ErrTold
	}
	return nil
}

func exportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Summary: "write the catalogue file of what is there",
		About: "Plans, products and tax rates that no file describes yet get a key of their name, and their id, by which they are adopted\n" +
			"when the file is applied. Archived ones among them are left out, and so are older versions, and the redemptions of\n" +
			"coupons.",
		Examples: []string{
			"perennial catalog export --tenant Acme --app Shop --mode test > catalog.yaml",
			"perennial catalog export --tenant Acme --app Shop --mode test --without-ids > live.yaml",
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			var in flags.Environment
			in.Declare(f)
			bare := f.Bool("without-ids", false, "leave ids out, so that the file creates the plans in another environment")
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				if err := in.Check(); err != nil {
					return err
				}
				return wire.WithStore(ctx, p, func(store *db.Store, _ config.Config) error {
					by, err := in.Caller(ctx, p, store)
					if err != nil {
						return err
					}
					return exportCatalog(ctx, p, service.New(store, p.Now), by, !*bare)
				})
			}
		},
	}
}

func exportCatalog(ctx context.Context, p *cli.Process, s *service.Service, by usecase.Caller, withIDs bool) error {
	plans, err := s.Catalog.Plans(ctx, by)
	if err != nil {
		return err
	}
	items, tooMany, err := s.Catalog.Items(ctx, by, plans)
	if err != nil {
		return err
	}
	if tooMany > 0 {
		_, err := fmt.Fprintf(p.Stderr, "warning: coupons: at least %d are active, and a file has at most %d. The section is left out, "+
			"so that the file leaves coupons alone.\n", tooMany, catalog.MaxItems)
		if err != nil {
			return err
		}
	}
	text, err := apicatalog.WriteFile(plans, items, withIDs)
	if err != nil {
		return err
	}
	_, err = p.Stdout.Write(text)
	return err
}

// catalogFlags name an environment and a file.
type catalogFlags struct {
	flags.Environment
	file         string
	allowArchive bool
}

func (c *catalogFlags) declare(f *flag.FlagSet) {
	c.Environment.Declare(f)
	f.StringVar(&c.file, "f", "", "the catalogue `file`; - is standard input (required)")
	f.BoolVar(&c.allowArchive, "allow-archive", false, "archive what is absent, also if that is all of a section, or more than half")
}

func (c *catalogFlags) wanted(file apicatalog.File) servicecatalog.WantedCatalog {
	return servicecatalog.WantedCatalog{Plans: file.Plans, Items: file.Items, AllowArchive: c.allowArchive}
}

// read checks everything that can be checked without a database. Errors name the line and the key.
func (c *catalogFlags) read(p *cli.Process) (apicatalog.File, error) {
	if err := c.Check(); err != nil {
		return apicatalog.File{}, err
	}
	if c.file == "" {
		return apicatalog.File{}, cli.Usagef("-f is missing: name the catalogue file")
	}
	text, err := c.text(p)
	if err != nil {
		return apicatalog.File{}, err
	}
	file, err := apicatalog.ReadFile(c.file, text)
	if err != nil {
		return file, err
	}
	for _, warning := range file.Warnings {
		if _, err := fmt.Fprintln(p.Stderr, "warning: "+warning); err != nil {
			return file, err
		}
	}
	return file, nil
}

func (c *catalogFlags) text(p *cli.Process) ([]byte, error) {
	if c.file == "-" {
		return io.ReadAll(p.Stdin)
	}
	return os.ReadFile(c.file)
}

// symbol returns the first character of a change's line.
func symbol(c catalog.Change) string {
	switch {
	case c.Was == nil:
		return "+"
	case c.Was.Active && !c.To.Active:
		return "-"
	case c.Differs():
		return "~"
	default:
		return "="
	}
}
