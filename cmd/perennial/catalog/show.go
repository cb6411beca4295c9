package catalog

import (
	"fmt"
	"io"
	"strings"

	"perennial/billing/catalog"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/subscription"
	servicecatalog "perennial/service/catalog"
	"perennial/service/subscriptions"
)

// showCatalog prints changes, done or to be done, and reports whether there are any. A preview of the sums of moving
// subscriptions is no change.
func showCatalog(out io.Writer, changes servicecatalog.FileChanges, done bool) (differs bool, err error) {
	var text strings.Builder
	counted := describeItems(&text, changes.ItemChanges, done)
	moved := 0
	for _, c := range changes.Plans {
		text.WriteString(describeChange(c, done))
		counted[symbol(c.Change)]++
		if c.Moves() {
			moved += int(c.Behind)
		}
	}
	created, changed, archived := counted["+"], counted["~"], counted["-"]
	differs = created+changed+archived+moved > 0
	switch {
	case !differs:
		text.WriteString("The catalogue is as the file says.\n")
	case done:
		fmt.Fprintf(&text, "%d created, %d changed, %d archived.\n", created, changed, archived)
	default:
		fmt.Fprintf(&text,
			"%d to create, %d to change, %d to archive; %d subscriptions to move at the end of their period.\n",
			created, changed, archived, moved)
	}
	_, err = io.WriteString(out, text.String())
	return differs, err
}

// describeChange returns lines about a change of a plan and its effect on the plan's subscriptions.
func describeChange(c servicecatalog.Change, done bool) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s", symbol(c.Change), c.To.Key)
	if c.Was != nil || done {
		fmt.Fprintf(&text, " (%s)", c.To.ID)
	}
	text.WriteString("\n")
	line := func(format string, args ...any) { fmt.Fprintf(&text, "    "+format+"\n", args...) }
	if c.Was == nil {
		line("%s, %s, every %s", c.To.Name, c.To.SoldIn(), every(c.To.Interval))
		for _, price := range catalog.DescribeAll(c.To) {
			line("+ %s", price)
		}
		describeNew(line, c)
		return text.String()
	}
	for _, field := range c.Fields {
		describeField(line, c, field)
	}
	describeEffect(line, c)
	return text.String()
}

func every(i period.Interval) string {
	if i.Count == 1 {
		return string(i.Unit)
	}
	return fmt.Sprintf("%d %ss", i.Count, i.Unit)
}

func describeEffect(line func(string, ...any), c servicecatalog.Change) {
	if c.Running == 0 {
		line("no running subscriptions")
		return
	}
	line("%d running subscriptions", c.Running)
	if c.Behind == 0 {
		return
	}
	switch c.Migrate {
	case catalog.AtPeriodEnd:
		line("%d of them move to the newest version at the end of their period", c.Behind)
	case catalog.Keep:
		line("%d of them keep an older version; migrate: true would move them", c.Behind)
		return
	case catalog.Preview:
		line("%d of them keep an older version; migrate: true would move them at the end of their period", c.Behind)
	}
	if c.Unmovable > 0 {
		line("%d of them cannot be moved: their next period would come to more than an amount can be", c.Unmovable)
	}
	if c.Unoffered > 0 {
		line("%d of them cannot be moved: the newest version is not sold in their currency, only in %s",
			c.Unoffered, c.To.SoldIn())
	}
	for _, sum := range c.Sums {
		line("their next periods: %s as they are, %s on the newest version, before discounts, taxes and credit",
			money.Format(sum.Now, sum.Currency), money.Format(sum.Then, sum.Currency))
	}
}

// showMoved prints how far a migration has come, and whether a newer version has overtaken it.
func showMoved(out io.Writer, c servicecatalog.Change, moved subscriptions.PlanMigrated, overtaken bool) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %d subscriptions move at the end of their period, %d refused\n", c.To.Key, moved.Migrated,
		len(moved.Refused))
	for _, refused := range moved.Refused {
		fmt.Fprintf(&text, "  %s stays: %s [%s]\n", refused.SubscriptionID, refused.Reason.Detail, refused.Reason.Code)
	}
	if overtaken {
		fmt.Fprintf(&text, "  stopped, the others are left as they are: %s [%s]\n",
			subscription.ErrSuperseded.Detail, subscription.ErrSuperseded.Code)
	}
	_, err := io.WriteString(out, text.String())
	return err
}
