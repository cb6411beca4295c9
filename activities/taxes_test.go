package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/tax"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/test/life"
	"perennial/test/scene"
)

func percent(t *testing.T, s string) money.Decimal {
	t.Helper()
	d, err := money.ParseDecimal(s)
	require.NoError(t, err)
	return d
}

// rate offers a tax rate of a country, or of everywhere.
func rate(t *testing.T, s *scene.Scene, country, of string) tax.Definition {
	t.Helper()
	d := tax.Definition{
		Rate: tax.Rate{ID: id.New(id.TaxRate, s.Clock.Now()), Name: "VAT", Percent: percent(t, of)}, Country: country,
		CreatedAt: s.Clock.Now(),
	}
	s.InTx(t, func(tx *db.Tx) error { return tx.Catalog.InsertTaxRate(t.Context(), s.Env, d) })
	return d
}

// 31.00 for 31 days at 19 % are 36.89. A change to a plan of 62.00 after ten days gives 21.00 back with their tax and
// charges 42.00 with theirs. A refund after twenty-one days gives back the tax of the unused time at the rate that was
// charged, whichever rate holds by then.
func TestTaxes_AreChargedAndGivenBack(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	vat := rate(t, s, "", "19")
	rate(t, s, "DE", "7") // applies to no customer here: the customer's country is not known
	l := life.Begin(t, s, scene.Monthly(3100))
	first := l.Invoices()[0]
	require.Equal(t, []money.Minor{3100, 589, 3689, 3689, 3689},
		[]money.Minor{first.Subtotal(), first.Tax, first.Total, first.AmountDue, first.AmountPaid})
	require.Equal(t, invoice.Taxes{{Rate: vat.Rate, Base: 3100, Amount: 589}}, first.Taxes)
	require.Equal(t, []tax.Rate{vat.Rate}, first.Lines[0].Rates)
	require.Equal(t, money.Minor(3689), l.Transactions()[0].Amount)

	l.Clock.Set(scene.Start.Add(10 * life.Day))
	l.Perform(life.Command{Name: contract.CommandChangePlan, PlanID: l.Plan(t, scene.Monthly(6200)).ID})
	l.Until(l.Clock.Now())
	change := l.Invoices()[1]
	require.Equal(t, []money.Minor{2100, 399, 2499}, []money.Minor{change.Subtotal(), change.Tax, change.AmountPaid})

	vat.ArchivedAt = l.Clock.Now()
	s.InTx(t, func(tx *db.Tx) error { return tx.Catalog.SaveTaxRate(t.Context(), s.Env, vat) })
	rate(t, s, "", "50")
	l.Clock.Set(scene.Start.Add(21 * life.Day))
	l.Perform(life.CancelNow("prorated"))

	require.Len(t, l.Invoices(), 2)
	var net, added, total money.Minor
	for _, n := range l.CreditNotes() {
		net, added, total = net+n.Subtotal, added+n.Tax, total+n.Total
	}
	require.Equal(t, []money.Minor{2000, 380, 2380}, []money.Minor{net, added, total})
	var back money.Minor
	for _, r := range l.Refunds() {
		back += r.Amount
	}
	require.Equal(t, money.Minor(2380), back, "all that was paid for time that was not used, with its tax")
	l.RequireBalanced(t)
	l.Sound()
}

// The customer's place and the date of issue of the invoice decide the tax.
func TestTaxes_FollowTheCustomer(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	rate(t, s, "DE", "19")
	l := life.Begin(t, s, scene.Monthly(3100))
	require.Zero(t, l.Invoices()[0].Tax)
	period := func(change func(*customer.Customer)) invoice.Invoice {
		l.ChangeCustomer(change)
		l.Until(l.Sub().CurrentPeriod.End)
		all := l.Invoices()
		return all[len(all)-1]
	}

	german := period(func(c *customer.Customer) { c.Country = "DE" })
	require.Equal(t, money.Minor(589), german.Tax)
	reverse := period(func(c *customer.Customer) { c.TaxExempt = tax.Reverse })
	require.Zero(t, reverse.Tax)
	require.Empty(t, reverse.Taxes)
	require.Equal(t, tax.Reverse, reverse.TaxExempt, "the invoice says why it is not taxed")
	taxed := period(func(c *customer.Customer) { c.TaxExempt = "" })
	require.Equal(t, money.Minor(589), taxed.Tax)
	require.Empty(t, taxed.TaxExempt)

	for _, txn := range l.Transactions() {
		require.Equal(t, payment.Success, txn.Status)
	}
	l.RequireBalanced(t)
	l.Sound()
}

// The reminder of a payer who has to confirm says what will be asked for.
func TestTaxes_AreInTheReminder(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	rate(t, s, "", "19")
	l := life.Begin(t, s, scene.Monthly(3100))
	l.ChangeCustomer(func(c *customer.Customer) {
		c.PaymentMethod, c.PaymentDetails.PhoneNumber = "mobile_money_mtn", "+256700000001"
	})
	l.Wake()
	l.Until(l.Sub().CurrentPeriod.End.Add(-time.Hour))
	events, _, err := s.Store.Webhooks.Events(t.Context(), s.Env,
		db.EventFilter{Types: []event.Pattern{"subscription.renewal_reminder"}}, db.Page{})
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.Contains(t, string(events[0].Data), `"amount": 3689`)
}
