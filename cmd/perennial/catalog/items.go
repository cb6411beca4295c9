package catalog

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"perennial/billing/catalog"
	"perennial/billing/discount"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/tax"
	"perennial/billing/usage"
)

// describeItems writes lines about the changes beside plans, and counts them by their symbols.
func describeItems(text *strings.Builder, c catalog.ItemChanges, done bool) map[string]int {
	counted := map[string]int{}
	for _, change := range c.Products {
		describeItem(text, catalog.ProductKind, change, change.To.ID, done, productFields, counted)
	}
	for _, change := range c.TaxRates {
		describeItem(text, catalog.TaxRateKind, change, change.To.ID, done, taxRateFields, counted)
	}
	for _, change := range c.Metrics {
		describeItem(text, catalog.MetricKind, change, change.To.ID, done, metricFields, counted)
	}
	for _, change := range c.Coupons {
		describeItem(text, catalog.CouponKind, change, change.To.ID, done, couponFields, counted)
	}
	return counted
}

// fieldsOf returns a summary of an object, and the values of its fields that may change, by their names.
type fieldsOf[T any] func(T) (summary string, values map[string]string)

func describeItem[T any](text *strings.Builder, kind catalog.Kind, c catalog.ItemChange[T], objectID string, done bool,
	fields fieldsOf[T], counted map[string]int,
) {
	if !c.Differs() {
		return
	}
	counted[c.Symbol()]++
	fmt.Fprintf(text, "%s %s.%s", c.Symbol(), kind.Section(), c.Key)
	if c.Was != nil || done {
		fmt.Fprintf(text, " (%s)", objectID)
	}
	text.WriteString("\n")
	summary, to := fields(c.To)
	if c.Was == nil {
		fmt.Fprintf(text, "    %s\n", summary)
		return
	}
	_, was := fields(*c.Was)
	if c.Adopts {
		text.WriteString("    adopted under this key\n")
	}
	for _, field := range c.Fields {
		before, known := was[field]
		if !known {
			fmt.Fprintf(text, "    %s changes\n", field)
			continue
		}
		fmt.Fprintf(text, "    %s: %s becomes %s\n", field, before, to[field])
	}
}

func productFields(p plan.Product) (string, map[string]string) {
	summary := p.Name
	if p.TaxCategory != "" {
		summary += ", tax category " + string(p.TaxCategory)
	}
	return summary + unoffered(p.Active), map[string]string{
		"name": note(p.Name), "description": note(p.Description), "active": fmt.Sprint(p.Active),
		"taxCategory": cmp.Or(string(p.TaxCategory), "none"),
	}
}

func taxRateFields(d tax.Definition) (string, map[string]string) {
	where := cmp.Or(strings.Trim(d.Country+"-"+d.Region, "-"), "everywhere")
	return fmt.Sprintf("%s, %s %%, %s", d.Name, d.Percent, where), map[string]string{
		"name": note(d.Name), "archived": fmt.Sprint(!d.ArchivedAt.IsZero()),
	}
}

func metricFields(m usage.Metric) (string, map[string]string) {
	return fmt.Sprintf("%s, %s", m.DisplayName, m.Aggregation) + unoffered(m.Active), map[string]string{
		"displayName": note(m.DisplayName), "active": fmt.Sprint(m.Active),
	}
}

func couponFields(c discount.Coupon) (string, map[string]string) {
	off := c.Percent.String() + " %"
	if c.Amount != 0 {
		off = money.Format(c.Amount, c.Currency)
	}
	by := "never"
	if !c.RedeemBy.IsZero() {
		by = c.RedeemBy.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("%s, %s off, %s", c.Name, off, c.Duration) + unoffered(c.Active), map[string]string{
		"name": note(c.Name), "active": fmt.Sprint(c.Active), "redeemBy": by,
	}
}

func unoffered(active bool) string {
	if active {
		return ""
	}
	return ", not active"
}
