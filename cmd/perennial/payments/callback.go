package payments

import (
	"context"
	"flag"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	"perennial/service/usecase"
)

// CallbackCommand is `perennial callback`.
func CallbackCommand() *cli.Command {
	return &cli.Command{
		Name: "callback", Summary: "list and close callbacks about payments that the database has lost",
		About:       "docs/operations.md says what to do about the money first.",
		Subcommands: []*cli.Command{callbackListCommand(), callbackCloseCommand()},
		Examples: []string{
			"perennial callback list",
			`perennial callback close cb_01jcz6dyqx4w9s1c2k7v5h8m3n --note "refunded at the dashboard"`,
		},
	}
}

func callbackListCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Summary: "list open callbacks about lost payments, the oldest first",
		About:    fmt.Sprintf("At most %d of all environments.", listed),
		Examples: []string{"perennial callback list"},
		Setup: func(*flag.FlagSet) cli.Action {
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				return wire.WithStore(ctx, p, func(store *db.Store, _ config.Config) error {
					found, err := store.Payments.LostCallbacks(ctx, listed)
					if err != nil {
						return err
					}
					return callbacksTable(p.Stdout, found)
				})
			}
		},
	}
}

func callbacksTable(out io.Writer, found []db.LostCallback) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tPAYMENT\tREFERENCE\tTYPE\tRECEIVED") // Flush reports
	for _, c := range found {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", // Flush reports
			c.ID, c.TransactionID, c.ProviderRef, c.Type, c.ReceivedAt.UTC().Format(time.DateTime))
	}
	return w.Flush()
}

// callbackCloseCommand ends an alarm and moves no money. It asks for a note, because afterwards nothing else tells why
// the alarm was right to end.
func callbackCloseCommand() *cli.Command {
	return &cli.Command{
		Name: "close", Summary: "end the alarm about a lost payment", Arguments: "ID",
		About: "Closes all open callbacks about that payment. Book or refund its money first. The decision is kept with " +
			"your name.",
		Examples: []string{
			`perennial callback close cb_01jcz6dyqx4w9s1c2k7v5h8m3n --note "refunded at the dashboard"`,
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			note := f.String("note", "", "what became of the money, a `text`")
			return func(ctx context.Context, p *cli.Process, args []string) error {
				if len(args) != 1 {
					return cli.Usagef("give the ID of one callback (cb_…); `perennial callback list` shows them")
				}
				if *note == "" {
					return cli.Usagef("--note is missing: say what became of the money")
				}
				return wire.WithStore(ctx, p, func(store *db.Store, _ config.Config) error {
					environment, err := store.Payments.EnvironmentOfCallback(ctx, args[0])
					if err != nil {
						return err
					}
					by := usecase.Caller{Actor: p.Actor(), EnvironmentID: environment}
					return service.New(store, p.Now).Payments.CloseCallback(ctx, by, args[0], *note)
				})
			}
		},
	}
}
