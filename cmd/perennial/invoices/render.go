package invoices

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"perennial/billing/document"
	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/documents"
	"perennial/documents/drawing"
	"perennial/documents/paper"
	"perennial/internal/config"
)

// Command is `perennial invoice`.
func Command() *cli.Command {
	return &cli.Command{
		Name: "invoice", Summary: "write invoices as PDF, page or e-invoice",
		Subcommands: []*cli.Command{renderCommand()},
		Examples:    []string{"perennial invoice render in_01jcz6dyqx4w9s1c2k7v5h8m3n -o invoice.pdf"},
	}
}

// forms are the endings of files that render writes.
var forms = []string{".pdf", ".html", ".xml"}

func renderCommand() *cli.Command {
	return &cli.Command{
		Name: "render", Summary: "write an invoice as its buyer reads it", Arguments: "ID",
		About: "The ending of the file chooses the form: .pdf, .html, or .xml for an e-invoice (EN 16931). An invoice gives the same\n" +
			"bytes as long as it does not change. It is in the language of its buyer, and English where that is not known. Exit code 1: there is no\n" +
			"such invoice, or its data are not enough for an e-invoice; the message names what is missing.",
		Examples: []string{
			"perennial invoice render in_01jcz6dyqx4w9s1c2k7v5h8m3n -o invoice.pdf",
			"perennial invoice render in_01jcz6dyqx4w9s1c2k7v5h8m3n -o - --form xml",
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			out := f.String("o", "", "the `file` to write; -: standard output")
			form := f.String("form", "", "`pdf|html|xml`, where the file does not end so")
			return func(ctx context.Context, p *cli.Process, args []string) error {
				if len(args) != 1 {
					return cli.Usagef("give the ID of one invoice (in_…); GET /invoices lists them")
				}
				if *out == "" {
					return cli.Usagef("-o is missing: give the file to write, such as invoice.pdf, or - for standard output")
				}
				ending := filepath.Ext(*out)
				if *form != "" {
					ending = "." + *form
				}
				ending = strings.ToLower(ending)
				if !slices.Contains(forms, ending) {
					return cli.Usagef("the form of %q is not known: end the file with %s, or give --form", *out,
						strings.Join(forms, ", "))
				}
				return wire.WithStore(ctx, p, func(store *db.Store, c config.Config) error {
					fonts, err := paper.WithFallback(c.Documents.Font)
					if err != nil {
						return fmt.Errorf("PERENNIAL_DOCUMENT_FONT: %w", err)
					}
					written, err := render(ctx, store, drawing.New(db.NewDrawings(store, p.Now), fonts), args[0], ending)
					if err != nil {
						return err
					}
					if *out == "-" {
						_, err := p.Stdout.Write(written)
						return err
					}
					return os.WriteFile(*out, written, 0o600) // it has personal data
				})
			}
		},
	}
}

func render(ctx context.Context, store *db.Store, drawer *drawing.Drawer, invoiceID, form string) ([]byte, error) {
	environmentID, err := store.Invoices.EnvironmentOf(ctx, invoiceID)
	if err != nil {
		return nil, err
	}
	inv, err := store.Invoices.Get(ctx, environmentID, invoiceID)
	if err != nil {
		return nil, err
	}
	environment, err := store.Tenancy.Environment(ctx, environmentID)
	if err != nil {
		return nil, err
	}
	of := drawing.Owner{
		EnvironmentID: environmentID, CustomerID: inv.CustomerID, TimeZone: environment.Settings.TimeZone,
	}
	switch d := document.OfInvoice(inv); form {
	case ".xml":
		return documents.XML(d, "", of.TimeZone)
	case ".html":
		return drawer.Draw(ctx, of, d, document.Page)
	default:
		return drawer.Draw(ctx, of, d, document.Paper)
	}
}
