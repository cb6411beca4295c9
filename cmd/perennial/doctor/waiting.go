package doctor

import (
	"context"
	"fmt"
	"time"

	"perennial/billing/money"
	"perennial/cmd/perennial/backlog"
	"perennial/cmd/perennial/cli"
	"perennial/db"
)

// waiting checks that no money waits.
func (d *doctor) waiting(ctx context.Context, store *db.Store, w backlog.Waiting) {
	sums, err := w.Read(ctx, store, d.now())
	if err == nil && len(sums) == 0 {
		d.ok(w.Check, "none")
		return
	}
	examples := ""
	if err == nil && w.Examples != nil {
		examples, err = w.Examples(ctx, store, d.now())
	}
	if err != nil {
		d.fail(w.Check, "check the database", "%s", cli.Describe(err))
		return
	}
	if examples != "" {
		examples = "; the oldest: " + examples
	}
	count, age := backlog.Totals(sums, d.now())
	d.fail(w.Check, w.Remedy, "%s%s, the oldest for %s: %s%s", cli.Counted(count, w.Noun), w.State, age.Round(time.Second),
		backlog.Names(sums[:min(len(sums), backlog.SumsNamed)], func(sum db.WaitingMoney) string {
			return fmt.Sprintf("%s for %s, %s (%s; %s from %s on)", money.Format(sum.Amount, sum.Currency), sum.Tenant, sum.App,
				sum.Mode, cli.Counted(sum.Count, w.Noun), sum.FirstID)
		}), examples)
}
