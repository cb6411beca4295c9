package reports

import (
	"cmp"
	"strconv"
	"time"

	"perennial/billing/money"
	"perennial/billing/monthly"
	"perennial/service/invoices"
)

// The tables of a report, a file each.
var tables = []string{"summary", "invoices", "credit-notes", "payments", "refunds", "taxes", "credit"}

// heads are the columns of the tables. docs/months-end.md says what they mean.
var heads = map[string][]string{
	"summary": {"month", "currency", "section", "provider", "item", "count", "amount"},
	"invoices": {
		"movement", "at", "number", "invoice", "customer", "country", "currency", "net", "tax", "tax_included", "gross",
		"amount_due",
	},
	"credit-notes": {
		"at", "number", "credit_note", "invoice", "customer", "country", "reason", "currency", "net", "tax", "tax_included",
		"gross", "due", "balance", "refund",
	},
	"payments": {"at", "payment", "customer", "invoice", "provider", "provider_reference", "currency", "amount"},
	"refunds": {
		"movement", "at", "refund", "charge", "customer", "invoice", "provider", "provider_reference", "currency", "amount",
	},
	"taxes": {
		"month", "currency", "country", "tax_rate", "name", "percent", "inclusive", "tax_exempt", "invoiced_base",
		"invoiced_tax", "voided_base", "voided_tax", "credited_base", "credited_tax", "base", "tax",
	},
	"credit": {"at", "entry", "customer", "invoice", "reason", "currency", "amount"},
}

// output has the tables that are asked for.
type output struct {
	sheets map[string]*sheet
}

// newOutput opens tables and writes their heads. open returns nil for a table that is not asked for.
func newOutput(open func(table string) (*sheet, error)) (*output, error) {
	o := &output{sheets: map[string]*sheet{}}
	for _, table := range tables {
		s, err := open(table)
		if err == nil && s != nil {
			o.sheets[table] = s
			err = s.write(heads[table]...)
		}
		if err != nil {
			return nil, cmp.Or(err, o.close(false))
		}
	}
	return o, nil
}

// close ends all tables, and returns the first error.
func (o *output) close(whole bool) (err error) {
	for _, table := range tables {
		if s := o.sheets[table]; s != nil {
			err = cmp.Or(err, s.end(whole))
		}
	}
	return err
}

// row writes a row of a table, if it is asked for.
func (o *output) row(table string, cells ...string) error {
	if s := o.sheets[table]; s != nil {
		return s.write(cells...)
	}
	return nil
}

// moment shows a time so that it can be sorted.
func moment(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// take writes the documents of the tables that are asked for.
func (o *output) take(to *invoices.MonthDocuments) {
	to.Invoice = func(i monthly.Invoice) error {
		number := cmp.Or(i.NumberText, strconv.FormatInt(i.Number, 10))
		return o.row("invoices", append([]string{
			string(i.Movement), moment(i.At), text(number), text(i.ID), text(i.CustomerID), text(i.Country),
		}, append(worth(i.Counts()), amount(i.Outstanding, i.Currency))...)...)
	}
	to.Note = func(n monthly.Note) error {
		c := n.Currency
		return o.row("credit-notes", append([]string{
			moment(n.At), strconv.FormatInt(n.Number, 10), text(n.ID), text(n.InvoiceID), text(n.CustomerID), text(n.Country),
			text(n.Reason),
		}, append(worth(n.Worth), amount(n.Due, c), amount(n.Balance, c), amount(n.Refund, c))...)...)
	}
	to.Payment = func(p monthly.Payment) error {
		if p.Movement == monthly.Collected {
			return o.row("payments", moment(p.At), text(p.ID), text(p.CustomerID), text(p.InvoiceID), text(p.Provider),
				text(p.ProviderRef), string(p.Currency), amount(p.Amount, p.Currency))
		}
		return o.row("refunds", string(p.Movement), moment(p.At), text(p.ID), text(p.ChargeID), text(p.CustomerID),
			text(p.InvoiceID), text(p.Provider), text(p.ProviderRef), string(p.Currency), amount(p.Amount, p.Currency))
	}
	to.Entry = func(e monthly.Entry) error {
		return o.row("credit", moment(e.At), text(e.ID), text(e.CustomerID), text(e.InvoiceID), text(string(e.Reason)),
			string(e.Currency), amount(e.Amount, e.Currency))
	}
}

// worth has the columns of a document's worth.
func worth(w monthly.Worth) []string {
	c := w.Currency
	return []string{string(c), amount(w.Net(), c), amount(w.Tax(), c), amount(w.Contained(), c), amount(w.Gross, c)}
}

// figures writes the tables of sums.
func (o *output) figures(r invoices.MonthReport) error {
	month := r.Month.String()
	for _, t := range r.Taxes() {
		percent := ""
		if t.Rate.ID != "" {
			percent = t.Rate.Percent.String()
		}
		cells := []string{
			month, string(t.Currency), text(t.Country), text(t.Rate.ID), text(t.Rate.Name), percent,
			strconv.FormatBool(t.Rate.Inclusive), string(t.Exemption),
		}
		for _, sums := range []monthly.TaxSums{t.Issued, t.Voided, t.Credited, t.Net()} {
			cells = append(cells, amount(sums.Base, t.Currency), amount(sums.Amount, t.Currency))
		}
		if err := o.row("taxes", cells...); err != nil {
			return err
		}
	}
	for _, s := range r.Sections() {
		if err := o.section(month, s); err != nil {
			return err
		}
	}
	return nil
}

// section writes the summary of a currency, a figure a row.
func (o *output) section(month string, s monthly.Section) (err error) {
	put := func(section, provider, item, count string, m money.Minor) {
		if err == nil {
			err = o.row("summary", month, string(s.Currency), section, text(provider), item, count, amount(m, s.Currency))
		}
	}
	sums := func(section string, of monthly.Sums) {
		put(section, "", "net", strconv.Itoa(of.Count), of.Net)
		put(section, "", "tax", "", of.Tax)
		put(section, "", "tax_included", "", of.Contained)
		put(section, "", "gross", "", of.Gross)
	}
	sums("invoiced", s.Issued)
	sums("voided", s.Voided)
	sums("credited", s.Notes)
	sums("sales", s.Sales())
	sums("uncollectible", s.Uncollectible)
	for _, m := range s.Providers() {
		put("money", m.Provider, "collected", strconv.Itoa(m.Payments), m.Collected)
		put("money", m.Provider, "refunded", strconv.Itoa(m.Refunds), m.Refunded)
		put("money", m.Provider, "returned", strconv.Itoa(m.Returns), m.Returned)
		put("money", m.Provider, "net", "", m.Net())
	}
	r := s.Receivables
	for _, line := range []struct {
		item   string
		amount money.Minor
	}{
		{"opening", r.Opening}, {"invoiced", r.Invoiced}, {"credit_used", -r.CreditUsed}, {"carried", -r.Carried},
		{"credited", -r.Credited}, {"voided", -r.Voided}, {"uncollectible", -r.Uncollectible}, {"recovered", r.Recovered},
		{"paid", -r.Paid}, {"closing", r.Closing}, {"difference", r.Difference()},
	} {
		put("receivables", "", line.item, "", line.amount)
	}
	put("credit", "", "opening", "", s.Credit.Opening)
	for _, reason := range s.Credit.Reasons() {
		put("credit", "", string(reason), "", s.Credit.ByReason[reason])
	}
	put("credit", "", "closing", "", s.Credit.Closing)
	return err
}
