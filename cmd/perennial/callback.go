package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	"perennial/service/usecase"
)

func callbackCommand() *command {
	return &command{
		name: "callback", summary: "list and close callbacks about payments that the database has lost",
		about:       "docs/operations.md says what to do about the money first.",
		subcommands: []*command{callbackListCommand(), callbackCloseCommand()},
		examples: []string{
			"perennial callback list",
			`perennial callback close cb_01jcz6dyqx4w9s1c2k7v5h8m3n --note "refunded at the dashboard"`,
		},
	}
}

func callbackListCommand() *command {
	return &command{
		name: "list", summary: "list open callbacks about lost payments, the oldest first",
		about:    fmt.Sprintf("At most %d of all environments.", listed),
		examples: []string{"perennial callback list"},
		setup: func(*flag.FlagSet) action {
			return func(ctx context.Context, p *process, _ []string) error {
				return withStore(ctx, p, func(store *db.Store, _ config.Config) error {
					found, err := store.LostCallbacks(ctx, listed)
					if err != nil {
						return err
					}
					return callbacksTable(p.stdout, found)
				})
			}
		},
	}
}

func callbacksTable(out io.Writer, found []db.LostCallback) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tPAYMENT\tREFERENCE\tTYPE\tRECEIVED") // Flush tells
	for _, c := range found {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", // Flush tells
			c.ID, c.TransactionID, c.ProviderRef, c.Type, c.ReceivedAt.UTC().Format(time.DateTime))
	}
	return w.Flush()
}

// callbackCloseCommand ends an alarm and moves no money. It asks for a note, because afterwards nothing else tells why
// the alarm was right to end.
func callbackCloseCommand() *command {
	return &command{
		name: "close", summary: "end the alarm about a lost payment", arguments: "ID",
		about: "Closes all open callbacks about that payment. Book or refund its money first. The decision is kept with " +
			"your name.",
		examples: []string{
			`perennial callback close cb_01jcz6dyqx4w9s1c2k7v5h8m3n --note "refunded at the dashboard"`,
		},
		setup: func(f *flag.FlagSet) action {
			note := f.String("note", "", "what became of the money, a `text`")
			return func(ctx context.Context, p *process, args []string) error {
				if len(args) != 1 {
					return usagef("give the ID of one callback (cb_…); `perennial callback list` shows them")
				}
				if *note == "" {
					return usagef("--note is missing: say what became of the money")
				}
				return withStore(ctx, p, func(store *db.Store, _ config.Config) error {
					environment, err := store.EnvironmentOfCallback(ctx, args[0])
					if err != nil {
						return err
					}
					by := usecase.Caller{Actor: p.actor(), EnvironmentID: environment}
					return service.New(store, p.now).Payments.CloseCallback(ctx, by, args[0], *note)
				})
			}
		},
	}
}
