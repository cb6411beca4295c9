package payments

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	"perennial/service/payments"
	"perennial/service/usecase"
)

// listed is the number of rows that a list of the command line shows, the oldest first.
const listed = 100

// PaymentCommand is `perennial payment`.
func PaymentCommand() *cli.Command {
	return &cli.Command{
		Name: "payment", Summary: "list and resolve payments that need review",
		About:       "docs/operations.md says what to look for at the provider.",
		Subcommands: []*cli.Command{paymentListCommand(), paymentResolveCommand()},
		Examples: []string{
			"perennial payment list",
			`perennial payment resolve txn_01jcz6dyqx4w9s1c2k7v5h8m3n --outcome failed --note "Stripe support: never captured"`,
		},
	}
}

func paymentListCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Summary: "list the payments that need review, the oldest first",
		About:    fmt.Sprintf("At most %d of all environments.", listed),
		Examples: []string{"perennial payment list"},
		Setup: func(*flag.FlagSet) cli.Action {
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				return wire.WithStore(ctx, p, func(store *db.Store, _ config.Config) error {
					found, err := store.Reconcile.Reviews(ctx, listed)
					if err != nil {
						return err
					}
					return reviewsTable(p.Stdout, found)
				})
			}
		},
	}
}

func reviewsTable(out io.Writer, found []db.Review) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tOF\tTYPE\tSTATUS\tAMOUNT\tREASON\tREFERENCE\tTO REVIEW\tSINCE") // Flush reports
	for _, r := range found {
		_, _ = fmt.Fprintf(w, "%s\t%s, %s (%s)\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", // Flush reports
			r.ID, r.Tenant, r.App, r.Mode, r.Type, r.Status, money.Format(r.Amount, r.Currency),
			r.Reason, r.ProviderRef, r.ReviewRef, r.Since.UTC().Format(time.DateTime))
	}
	return w.Flush()
}

func paymentResolveCommand() *cli.Command {
	return &cli.Command{
		Name: "resolve", Summary: "end the review of a payment as you found it at the provider", Arguments: "ID",
		About: "succeeded: the money moved as asked, and counts. failed: no money moved. returned: money moved, and was given back\n" +
			"outside Perennial. What follows is done: an invoice is paid, an attempt failed, a refund owed. The decision is kept with\n" +
			"your name. Payments with a final status keep it; a decision that contradicts it is refused.",
		Examples: []string{
			`perennial payment resolve txn_01jcz6dyqx4w9s1c2k7v5h8m3n --outcome returned --note "second capture refunded at the dashboard"`,
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			outcome := f.String("outcome", "", "`succeeded|failed|returned`")
			note := f.String("note", "", "how you found it out, a `text`")
			return func(ctx context.Context, p *cli.Process, args []string) error {
				if len(args) != 1 {
					return cli.Usagef("give the ID of one payment (txn_…); `perennial payment list` shows them")
				}
				decision := payment.Decision(*outcome)
				if !slices.Contains(payment.Decisions(), decision) {
					return cli.Usagef("--outcome is succeeded, failed or returned, not %q", *outcome)
				}
				// The note is required: the next person to look at this money has only the row, and nothing else
				// records what was seen at the provider.
				if *note == "" {
					return cli.Usagef("--note is missing: say how you found it out")
				}
				return wire.WithDispatcher(ctx, p, "payment", func(store *db.Store) error {
					return resolvePayment(ctx, p, store, payments.Resolution{PaymentID: args[0], Decision: decision, Note: *note})
				})
			}
		},
	}
}

// resolvePayment acts in the payment's own environment, as an operator of the whole installation may: an API key
// reaches only its own.
func resolvePayment(ctx context.Context, p *cli.Process, store *db.Store, in payments.Resolution) error {
	environment, err := store.Payments.EnvironmentOfTransaction(ctx, in.PaymentID)
	if err != nil {
		return err
	}
	var after payment.Transaction
	keep := usecase.Around[payment.Transaction]{After: func(_ *db.Tx, t payment.Transaction) error {
		after = t
		return nil
	}}
	by := usecase.Caller{Actor: p.Actor(), EnvironmentID: environment}
	if err := service.New(store, p.Now).Payments.ResolvePayment(ctx, by, in, keep); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "%s is %s; its review has ended\n", after.ID, after.Status)
	return err
}
