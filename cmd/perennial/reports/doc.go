// Package reports owns the commands that report a month and compare it with the files of payment providers, and their
// output. It does not own the figures (service/invoices) nor the comparison (service/payments).
package reports

import "perennial/cmd/perennial/cli"

// Command is `perennial report`.
func Command() *cli.Command {
	return &cli.Command{
		Name: "report", Summary: "report a month for the books, and compare it with the files of payment providers",
		Examples: []string{
			"perennial report month --tenant Acme --app Shop --mode live --out november 2026-11",
			"perennial report reconcile --tenant Acme --app Shop --mode live --provider stripe --file balance.csv --month 2026-11",
		},
		Subcommands: []*cli.Command{monthCommand(), reconcileCommand()},
	}
}
