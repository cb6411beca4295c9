// Package catalogue shows what plans as software companies sell them come to: their invoices, made by the rules that
// bill, rendered so that a person can check them, and calculated a second time from plain arithmetic.
package catalogue_test

import (
	"flag"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/catalog"
	"perennial/billing/answer"
	"perennial/billing/creditnote"
	"perennial/billing/customer"
	"perennial/billing/foresight"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/recording"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/tax"
	"perennial/internal/id"
)

var update = flag.Bool("update", false, "write testdata anew")

var began = time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)

// sale is a customer of a plan. first and next are the expected totals of the first invoice and the one after it, in
// major units, by arithmetic that a person can follow; the rates are percentages.
type sale struct {
	plan        string
	quantity    int64
	first, next string
	taxes       []tax.Rate
	exempt      tax.Exemption
	// changed is the quantity from half of the first period on, and difference the total of the invoice for that.
	changed    int64
	difference string
}

func added(name, percent string) tax.Rate {
	p, _ := money.ParseDecimal(percent)
	return tax.Rate{ID: "txr_" + name, Name: name, Percent: p}
}

func contained(name, percent string) tax.Rate {
	r := added(name, percent)
	r.Inclusive = true
	return r
}

var sales = []sale{
	{plan: "solo-monthly", first: "9"},
	{plan: "solo-yearly", first: "90"},
	{plan: "support-quarterly", first: "120"},
	{plan: "pass-weekly", first: "4.99"},
	{plan: "pass-daily", first: "0.99"},
	{plan: "school-xaf", first: "5000"},
	{plan: "starter-jpy", first: "980"},
	{plan: "community", first: "0"},
	{plan: "trial-pro", first: "39"},
	{plan: "team-seats", quantity: 7, first: "7 * 12", changed: 10, difference: "10 * 12 / 2. - 7 * 12 / 2."},
	{plan: "team-seats-yearly", quantity: 25, first: "25 * 96"},
	{plan: "studio", quantity: 10, first: "49 + (10-3) * 9.50", changed: 2, difference: "-(10-3) * 9.50 / 2"},
	{plan: "dinar-seats", quantity: 3, first: "3.752"}, // 3 × 1.2505 = 3.7515 to thousandths
	{plan: "seats-jpy", quantity: 3, first: "3 * 1100", taxes: []tax.Rate{contained("消費税", "10")}},
	{plan: "growth", quantity: 64, first: "10 * 15 + 40 * 12 + 14 * 9"},
	{plan: "wholesale", quantity: 64, first: "64 * 9"},
	{plan: "contacts", quantity: 2500, first: "3 * 25"},
	{plan: "orders", quantity: 3000, first: "75"},
	{plan: "messages", quantity: 12345, first: "43.21"}, // 12,345 × 0.0035 = 43.2075
	{plan: "agency", quantity: 9, first: "50 + 4 * 7.50"},
	{plan: "storage", quantity: 230, first: "100 * 0.05 + 3 * 2"},
	{plan: "meters-minimum", quantity: 12, first: "20"},
	{plan: "drivers-maximum", quantity: 80, first: "99"},
	{plan: "clinic", first: "29 + 199", next: "29"},
	{plan: "academy", quantity: 5, first: "5 * 8 + 5 * 10", next: "5 * 8", changed: 6,
		difference: "6 * 8 / 2. - 5 * 8 / 2."},
	{plan: "books-de", first: "49.99 + 9.50", taxes: []tax.Rate{added("MwSt.", "19")}}, // 9.4981
	// of which 4.00
	{plan: "books-gb", first: "24", taxes: []tax.Rate{contained("VAT", "20")}},
	// 1.4975 + 2.9875125 = 4.4850125
	{plan: "books-ca", first: "29.95 + 4.49", taxes: []tax.Rate{added("GST", "5"), added("QST", "9.975")}},
	{plan: "books-eu-business", first: "99", taxes: []tax.Rate{added("VAT", "21")}, exempt: tax.Reverse},
	{plan: "hospital-cm", quantity: 7, first: "7 * 333 + 449", taxes: []tax.Rate{added("TVA", "19.25")}}, // 448.7175
	{
		plan: "enterprise", quantity: 80, first: "4999 + 80 * 264 + 3 * 450 + 2500", next: "4999 + 80 * 264 + 3 * 450",
	},
}

// invoices returns the documents of a sale: its first invoice, the invoice or the credit notes of its change, and the
// next invoice.
func invoices(
	t *testing.T, p plan.Plan, s sale,
) (first, change, next []invoice.Invoice, notes []creditnote.Note) {
	t.Helper()
	sub, _, err := subscribing.Create(p, subscribing.NewInput{
		ID: "sub_1", CustomerID: "cust_1", Quantity: s.quantity, TimeZone: "UTC", Now: began,
	})
	require.NoError(t, err)
	state := lifecycle.State{
		Subscription: sub, Plan: p, Settings: subscription.DefaultSettings(),
		Provider: &lifecycle.Provider{Name: "simulator"},
		Customer: customer.Customer{ID: "cust_1", TaxExempt: s.exempt, PaymentMethod: "card",
			PaymentDetails: customer.PaymentDetails{PaymentMethodToken: "pm_1"}},
	}
	for _, rate := range s.taxes {
		state.TaxRates = append(state.TaxRates, tax.Definition{Rate: rate})
	}
	at := func(when time.Time) lifecycle.Moment {
		return lifecycle.Moment{Now: when, Real: when, IDs: id.Source{Now: when}}
	}
	if s.changed == 0 {
		seen, err := foresight.Preview(state, nil, 2, nil, at(began))
		require.NoError(t, err)
		all := append(seen.Issued, seen.Upcoming...)
		return all[:min(1, len(all))], nil, all[min(1, len(all)):min(2, len(all))], nil
	}
	state, changes, err := lifecycle.Advance(state, at(began))
	require.NoError(t, err)
	charge := state.Pending[0]
	paid := answer.Answer{
		Outcome: answer.Succeeded, Ref: charge.ID, Amount: charge.Amount, Currency: charge.Currency,
	}
	result := recording.Result{Transaction: charge, Move: payment.MoveSend, Answer: paid}
	state, _, _, err = recording.Record(state, result, at(began))
	require.NoError(t, err)
	half := began.Add(state.Subscription.CurrentPeriod.End.Sub(began) / 2)
	seen, err := foresight.Preview(state, lifecycle.ChangePlan{Quantity: s.changed}, 1, nil, at(half))
	require.NoError(t, err)
	return changes.Invoices.Of(lifecycle.InvoiceCreated), seen.Issued, seen.Upcoming, seen.CreditNotes
}

func TestInvoices_OfThePlansThatCompaniesSell(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("catalogue.yaml")
	require.NoError(t, err)
	file, err := catalog.ReadFile("catalogue.yaml", text)
	require.NoError(t, err)
	require.Len(t, sales, len(file.Plans), "each plan is sold once")
	for i, s := range sales {
		p := file.Plans[i].Plan
		require.Equal(t, s.plan, p.Key, "in the order of the file")
		p.ID, p.Version = "plan_1", 1
		for n := range p.Prices {
			p.Prices[n].ID = fmt.Sprintf("price_%d", n+1)
		}
		t.Run(s.plan, func(t *testing.T) {
			t.Parallel()
			first, change, next, notes := invoices(t, p, s)
			requireTotal(t, s.first, first, nil, p.Currency)
			if s.changed == 0 {
				requireTotal(t, orElse(s.next, s.first), next, nil, p.Currency)
			} else {
				requireTotal(t, s.difference, change, notes, p.Currency)
			}
			requireGolden(t, s, p, append(append(first, change...), next...), notes)
		})
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// requireTotal compares what invoices less credit notes come to with arithmetic that Go's constants do exactly: the rules take no part in
// it.
func requireTotal(
	t *testing.T, arithmetic string, issued []invoice.Invoice, notes []creditnote.Note, c money.Currency,
) {
	t.Helper()
	value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, arithmetic)
	require.NoError(t, err)
	scale := constant.MakeInt64(1)
	for range c.Decimals() {
		scale = constant.BinaryOp(scale, token.MUL, constant.MakeInt64(10))
	}
	want, exact := constant.Int64Val(constant.ToInt(constant.BinaryOp(constant.ToFloat(value.Value), token.MUL, scale)))
	require.True(t, exact, "%s is no amount of %s", arithmetic, c)
	var got money.Minor
	for _, inv := range issued {
		got += inv.Total
	}
	for _, n := range notes {
		got -= n.Total
	}
	require.Equal(t, money.Minor(want), got, arithmetic)
}

func requireGolden(t *testing.T, s sale, p plan.Plan, issued []invoice.Invoice, notes []creditnote.Note) {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "%s, %s, quantity %d. By hand: %s\n", p.Name, p.Currency, max(s.quantity, 1), s.first)
	if len(issued) == 0 {
		text.WriteString("\nNo invoice.\n")
	}
	for _, inv := range issued {
		text.WriteString("\n" + render(inv))
	}
	for _, n := range notes {
		fmt.Fprintf(&text, "\ncredit note for %s, over %d lines\n  Total %s %s\n",
			n.Reason, len(n.Lines), n.Currency, money.FormatUnits(n.Total, n.Currency))
	}
	golden := filepath.Join("testdata", s.plan+".txt")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(text.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err, "go test ./test/catalogue -update writes it")
	require.Equal(t, string(want), text.String())
}

// render writes an invoice as a person reads one.
func render(inv invoice.Invoice) string {
	var text strings.Builder
	row := func(label, calculation string, amount money.Minor) {
		fmt.Fprintf(&text, "  %-48s %24s %14s\n", label, calculation, money.FormatUnits(amount, inv.Currency))
	}
	fmt.Fprintf(&text, "%s of %s, for %s to %s\n", inv.Reason, inv.IssuedAt.Format(time.DateOnly),
		inv.Period.Start.Format(time.DateOnly), inv.Period.End.Format(time.DateOnly))
	for _, l := range inv.Lines {
		calculation := l.Quantity
		if l.UnitPrice != "" {
			calculation += " × " + l.UnitPrice
		}
		row(l.Description, calculation, l.Amount)
	}
	row("Subtotal", "", inv.Subtotal())
	for _, one := range inv.Taxes {
		calculation := one.Percent.String() + " % of " + money.FormatUnits(one.Base, inv.Currency)
		if one.Inclusive {
			row("contains "+one.Name, calculation, one.Amount)
			continue
		}
		row(one.Name, calculation, one.Amount)
	}
	if inv.TaxExempt == tax.Reverse {
		text.WriteString("  Reverse charge: the customer owes the tax.\n")
	}
	row("Total "+string(inv.Currency), "", inv.Total)
	if inv.CreditApplied > 0 {
		row("Credit applied", "", -inv.CreditApplied)
		row("Amount due", "", inv.AmountDue)
	}
	return text.String()
}
