package moving

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"

	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/flags"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	servicemoving "perennial/service/moving"
	"perennial/service/usecase"
)

// ExportCommand is `perennial export`.
func ExportCommand() *cli.Command {
	return &cli.Command{
		Name: "export", Summary: "write an environment as JSON Lines, in the form that import reads",
		About: "Settings, products, tax rates, metrics, plans, coupons, customers, payment methods, balances, credit grants, subscriptions and\n" +
			"webhook endpoints as they are at one moment, and for the books invoices, credit notes and transactions, on standard\n" +
			"output. Customers who were deleted are left out, and so are secrets. Tokens of payment methods are written with\n" +
			"--with-payment-tokens only: who has such a file and the provider's key can charge your customers.",
		Examples: []string{
			"perennial export --tenant Acme --app Shop --mode live > shop.jsonl",
			"perennial import --tenant Acme --app Copy --mode live --dry-run shop.jsonl",
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			var environment flags.Environment
			var o servicemoving.ExportOptions
			environment.Declare(f)
			f.BoolVar(&o.WithPaymentTokens, "with-payment-tokens", false, "write the provider's tokens of payment methods")
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				if err := environment.Check(); err != nil {
					return err
				}
				return wire.WithStore(ctx, p, func(store *db.Store, _ config.Config) error {
					by, err := environment.Caller(ctx, p, store)
					if err != nil {
						return err
					}
					if o.WithPaymentTokens {
						_, err := fmt.Fprintln(
							p.Stderr, "warning: the export has payment tokens; keep it encrypted, and delete it after the move",
						)
						if err != nil {
							return err
						}
					}
					return exportTo(ctx, p, service.New(store, p.Now), by, o)
				})
			}
		},
	}
}

// left says of what is not exported how it moves instead.
var left = map[servicemoving.Leftover]string{
	servicemoving.WaitingProrations: "prorations of %s wait for its next invoice and are not exported; import them as a balance, or " +
		"repeat the export after its renewal",
	servicemoving.PendingChange: "a change of %s waits for its payment and is not exported; repeat the export when it is made or withdrawn",
	servicemoving.UnpaidChange:  "a change of %s is made and not paid, and its invoice is not exported; repeat the export when it is paid",
	servicemoving.ElsewhereChange: "a change of %s at a date within its current period is not exported, since that period is paid " +
		"here; schedule it again there with the proration behavior none, or repeat the export when it is made",
	servicemoving.NotBegun: "%s waits for its first payment and is not exported; repeat the export when it is paid, or let it end",
	servicemoving.PastDue: "%s is past due, and the import refuses it; repeat the export when its invoices are paid, or send it as active " +
		"and the debt as a balance below zero",
	servicemoving.OwnFeatures: "features of %s that are of one subscription alone are not exported; set them again by the API",
}

// counted says of what an export counts at its end.
var counted = map[servicemoving.Leftover]string{
	servicemoving.WaitingProrations: "subscriptions with prorations that are not exported",
	servicemoving.PendingChange:     "subscriptions with a change that waits for its payment and is not exported",
	servicemoving.UnpaidChange:      "subscriptions with a change that is not paid",
	servicemoving.ElsewhereChange:   "subscriptions with changes within their current period that are not exported",
	servicemoving.NotBegun:          "incomplete subscriptions that are not exported",
	servicemoving.PastDue:           "past-due subscriptions, which the import refuses",
	servicemoving.OwnFeatures:       "customers with features that are not exported",
}

// exportTo writes an export to standard output.
func exportTo(
	ctx context.Context, p *cli.Process, s *service.Service, by usecase.Caller, o servicemoving.ExportOptions,
) error {
	out := bufio.NewWriterSize(p.Stdout, 1<<16)
	counts := map[servicemoving.Leftover]int{}
	o.Left = func(objectID string, what servicemoving.Leftover) error {
		counts[what]++
		_, err := fmt.Fprintf(p.Stderr, "warning: "+left[what]+"\n", objectID)
		return err
	}
	if err := s.Moving.Export(ctx, by.EnvironmentID, o, out); err != nil {
		return err
	}
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		if _, err := fmt.Fprintf(p.Stderr, "warning: in all: %s: %d\n", counted[what], counts[what]); err != nil {
			return err
		}
	}
	return out.Flush()
}
