package invoices_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/creditnote"
	"perennial/billing/customer"
	"perennial/billing/erasure"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/tax"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/servicetest"
)

// company has random documents of one customer, in currencies with 0, 2 and 3 decimals, made by the rules of billing.
type company struct {
	stage    servicetest.Stage
	random   *rand.Rand
	now      time.Time // in real time of its documents
	customer customer.Customer
	balance  map[money.Currency]money.Minor
	open     []invoice.Invoice
	given    []invoice.Invoice // written off
	paid     []invoice.Invoice
	charges  []payment.Transaction
	refunds  []payment.Transaction
	notes    map[string][]creditnote.Note
	done     map[string]int
}

var rates = []tax.Rate{
	{ID: "txr_standard", Name: "VAT", Percent: money.Whole(19)},
	{ID: "txr_inside", Name: "GST", Percent: money.Whole(10), Inclusive: true},
	{ID: "txr_levy", Name: "Levy", Percent: money.Whole(1)},
}

func newCompany(t *testing.T, stage servicetest.Stage, seed uint64) *company {
	t.Helper()
	c := &company{
		stage: stage, random: rand.New(rand.NewPCG(seed, 1)), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		balance: map[money.Currency]money.Minor{}, notes: map[string][]creditnote.Note{}, done: map[string]int{},
	}
	c.customer = stage.Scene.Customer(t, "")
	_, err := stage.Scene.Pool.Exec(t.Context(), "update customers set country = 'DE' where id = $1", c.customer.ID)
	require.NoError(t, err)
	return c
}

// act does one thing, and lets some time pass; often it is within an hour of a month's end.
func (c *company) act(t *testing.T) {
	t.Helper()
	hours := c.random.IntN(40)
	c.now = c.now.Add(time.Duration(hours) * time.Hour)
	if hours == 0 {
		next := time.Date(c.now.Year(), c.now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		c.now = next.Add(-2*time.Hour + time.Duration(c.random.IntN(120))*time.Minute)
	}
	actions := []struct {
		name string
		do   func(*testing.T) bool
	}{
		{"issue", c.issue}, {"issue", c.issue}, {"issue", c.issue}, {"pay", c.pay}, {"pay", c.pay}, {"void", c.void},
		{"write off", c.writeOff}, {"recover", c.recover}, {"note", c.note}, {"note", c.note}, {"refund", c.refund},
		{"return", c.giveBack}, {"charge", c.charge}, {"grant", c.adjust},
	}
	if a := actions[c.random.IntN(len(actions))]; a.do(t) {
		c.done[a.name]++
	}
}

func (c *company) write(t *testing.T, do func(ctx context.Context, tx *db.Tx) error) {
	t.Helper()
	c.stage.Scene.InTx(t, func(tx *db.Tx) error { return do(t.Context(), tx) })
}

// amount is one of up to most minor units.
func (c *company) amount(most int64) money.Minor { return money.Minor(1 + c.random.Int64N(most)) }

func (c *company) issue(t *testing.T) bool {
	t.Helper()
	currency := []money.Currency{"JPY", "EUR", "BHD"}[c.random.IntN(3)]
	draft := invoice.Draft{Reason: invoice.Manual, Period: period.Period{Start: c.now, End: c.now}}
	for range 1 + c.random.IntN(3) {
		line := invoice.Line{
			ID: id.New(id.InvoiceLine, c.now), Kind: invoice.OneOff, Description: "Work", Quantity: "1",
			Amount: c.amount(20_000), Period: draft.Period,
		}
		if c.random.IntN(4) == 0 {
			line.Amount = -line.Amount // the invoice may come to less than zero, as those from before credit notes
		}
		for _, r := range rates {
			if c.random.IntN(3) == 0 {
				line.Rates = append(line.Rates, r)
			}
		}
		draft.Lines = append(draft.Lines, line)
	}
	issued, err := draft.Issue(invoice.Issuing{
		ID: id.New(id.Invoice, c.now), CustomerID: c.customer.ID, Currency: currency, Balance: c.balance[currency],
		Now: c.now, Limits: c.limits(),
	})
	require.NoError(t, err)
	inv := issued.Invoice
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Invoices.Insert(ctx, c.stage.Scene.Env, inv); err != nil {
			return err
		}
		return c.credit(ctx, tx, inv, issued.Credit)
	})
	if inv.Status == invoice.Open {
		c.open = append(c.open, inv)
	} else if inv.Total > 0 {
		c.paid = append(c.paid, inv)
	}
	return true
}

// credited issues an open invoice that is credited in part.
func (c *company) credited(t *testing.T) invoice.Invoice {
	t.Helper()
	for {
		c.issue(t)
		if last := len(c.open) - 1; last >= 0 && c.open[last].AmountDue >= 5000 {
			inv, written := c.noteOn(t, c.open[last], 1000)
			require.True(t, written)
			c.open = c.open[:last]
			return inv
		}
	}
}

// limits are often those of a provider that takes no small amounts.
func (c *company) limits() money.Limits {
	if c.random.IntN(2) == 0 {
		return money.Limits{}
	}
	return money.Limits{Minimum: 3000, Granularity: 10}
}

// credit writes the entries of an invoice in the customer's balance.
func (c *company) credit(ctx context.Context, tx *db.Tx, inv invoice.Invoice, entries []invoice.CreditEntry) error {
	for _, e := range entries {
		c.balance[inv.Currency] += e.Amount
		if err := tx.Customers.AddCredit(ctx, c.stage.Scene.Env, c.customer.ID, inv.Currency, e, inv.ID, c.now); err != nil {
			return err
		}
	}
	return nil
}

// take removes a random element.
func take[T any](c *company, from *[]T) (one T, ok bool) {
	if len(*from) == 0 {
		return one, false
	}
	i := c.random.IntN(len(*from))
	one = (*from)[i]
	*from = append((*from)[:i:i], (*from)[i+1:]...)
	return one, true
}

// settle pays an invoice by a charge, or by money from outside that is dated back into an earlier month.
func (c *company) settle(t *testing.T, inv invoice.Invoice) {
	t.Helper()
	txn := c.charged(inv.ID, inv.Currency, inv.AmountDue)
	if c.random.IntN(3) == 0 {
		txn = payment.NewExternal(payment.NewExternalInput{
			ID: txn.ID, CustomerID: c.customer.ID, InvoiceID: inv.ID, Amount: inv.AmountDue, Currency: inv.Currency,
			Method: "bank_transfer", PaidAt: c.now.AddDate(0, 0, -25), Now: c.now,
		})
	} else {
		c.charges = append(c.charges, txn)
	}
	inv = inv.Settle(c.now)
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		return cmp.Or(tx.Invoices.Save(ctx, c.stage.Scene.Env, inv),
			tx.Payments.InsertTransaction(ctx, c.stage.Scene.Env, txn),
			tx.Payments.InsertSettlement(ctx, c.stage.Scene.Env, inv.ID, txn.ID, inv.AmountDue, c.now))
	})
	c.paid = append(c.paid, inv)
}

func (c *company) charged(invoiceID string, currency money.Currency, amount money.Minor) payment.Transaction {
	return payment.Transaction{
		ID: id.New(id.Transaction, c.now), Type: payment.Charge, Status: payment.Success, CustomerID: c.customer.ID,
		InvoiceID: invoiceID, Amount: amount, Currency: currency, Trigger: "manual", Provider: "stripe",
		ProviderConfigID: c.stage.Scene.Config.ID, ProviderRef: id.New("pi_", c.now), DueAt: c.now,
		CreatedAt: c.now.Add(-time.Hour), CompletedAt: c.now, Revision: 1,
	}
}

func (c *company) pay(t *testing.T) bool {
	t.Helper()
	inv, ok := take(c, &c.open)
	if ok {
		c.settle(t, inv)
	}
	return ok
}

// recover pays an invoice that was given up.
func (c *company) recover(t *testing.T) bool {
	t.Helper()
	inv, ok := take(c, &c.given)
	if ok {
		c.settle(t, inv)
	}
	return ok
}

func (c *company) void(t *testing.T) bool {
	t.Helper()
	inv, ok := take(c, &c.open)
	if !ok {
		return false
	}
	void, returned, _, err := inv.Withdraw("", false, c.now)
	require.NoError(t, err)
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		return cmp.Or(tx.Invoices.Save(ctx, c.stage.Scene.Env, void), c.credit(ctx, tx, void, returned))
	})
	return true
}

func (c *company) writeOff(t *testing.T) bool {
	t.Helper()
	inv, ok := take(c, &c.open)
	if ok {
		c.given = append(c.given, c.giveUp(t, inv))
	}
	return ok
}

func (c *company) giveUp(t *testing.T, inv invoice.Invoice) invoice.Invoice {
	t.Helper()
	inv, err := inv.WriteOff(false, c.now)
	require.NoError(t, err)
	c.write(t, func(ctx context.Context, tx *db.Tx) error { return tx.Invoices.Save(ctx, c.stage.Scene.Env, inv) })
	return inv
}

// note gives a part of an open or a paid invoice back.
func (c *company) note(t *testing.T) bool {
	t.Helper()
	from := &c.open
	if c.random.IntN(2) == 0 {
		from = &c.paid
	}
	inv, ok := take(c, from)
	if !ok {
		return false
	}
	inv, written := c.noteOn(t, inv, c.amount(8000))
	if inv.Status == invoice.Paid {
		from = &c.paid
	}
	*from = append(*from, inv)
	return written
}

// noteOn gives an amount of an invoice back, unless it is more than is left.
func (c *company) noteOn(t *testing.T, inv invoice.Invoice, amount money.Minor) (invoice.Invoice, bool) {
	t.Helper()
	note, err := creditnote.Issue(inv, creditnote.Request{
		ID: id.New(id.CreditNote, c.now), Amount: amount, Reason: creditnote.Goodwill, Now: c.now,
	}, creditnote.Given{Notes: c.notes[inv.ID]})
	if err != nil {
		return inv, false
	}
	lines := map[string]money.Minor{}
	for _, l := range note.Lines {
		lines[l.InvoiceLineID] += l.Amount
	}
	inv, entries := inv.Credit(invoice.Credited{Total: note.Total, Tax: note.Tax, Due: note.Due}, lines, note.Balance,
		invoice.Gone{}, c.limits())
	settled := inv.Status == invoice.Open && inv.AmountDue == 0
	if settled {
		inv = inv.Settle(c.now)
	}
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		err := cmp.Or(tx.Invoices.Save(ctx, c.stage.Scene.Env, inv), c.credit(ctx, tx, inv, entries),
			tx.Invoices.InsertCreditNote(ctx, c.stage.Scene.Env, &note))
		if err == nil && settled {
			err = tx.Payments.InsertSettlement(ctx, c.stage.Scene.Env, inv.ID, "", 0, c.now)
		}
		return err
	})
	c.notes[inv.ID] = append(c.notes[inv.ID], note)
	return inv, true
}

func (c *company) refund(t *testing.T) bool {
	t.Helper()
	charge, ok := take(c, &c.charges)
	if !ok {
		return false
	}
	refund := c.charged(charge.InvoiceID, charge.Currency, c.amount(int64(charge.Amount)))
	refund.Type, refund.Status, refund.ChargeID = payment.Refund, payment.Refunded, charge.ID
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		return tx.Payments.InsertTransaction(ctx, c.stage.Scene.Env, refund)
	})
	c.refunds = append(c.refunds, refund)
	return true
}

// giveBack has the bank send the money of a refund back.
func (c *company) giveBack(t *testing.T) bool {
	t.Helper()
	refund, ok := take(c, &c.refunds)
	if !ok {
		return false
	}
	refund, news := refund.Returned("DECLINED", "account closed", c.now)
	require.True(t, news)
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		return tx.Payments.SaveTransaction(ctx, c.stage.Scene.Env, refund)
	})
	return true
}

// charge takes money that pays no invoice.
func (c *company) charge(t *testing.T) bool {
	t.Helper()
	txn := c.charged("", "EUR", c.amount(5000))
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		return tx.Payments.InsertTransaction(ctx, c.stage.Scene.Env, txn)
	})
	c.charges = append(c.charges, txn)
	return true
}

// adjust gives credit without an invoice.
func (c *company) adjust(t *testing.T) bool {
	t.Helper()
	amount := c.amount(3000)
	c.balance["EUR"] += amount
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		return tx.Customers.AddCredit(ctx, c.stage.Scene.Env, c.customer.ID, "EUR",
			invoice.CreditEntry{Amount: amount, Reason: invoice.CreditImported}, "", c.now)
	})
	return true
}

// eraseBuyers takes the buyers off all invoices, as an erasure does.
func (c *company) eraseBuyers(t *testing.T) {
	t.Helper()
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Customers.EraseInvoices(ctx, c.stage.Scene.Env,
			erasure.OfCustomer(id.New(id.Erasure, c.now), c.customer.ID, c.now), 10_000)
		return err
	})
	require.Zero(t, servicetest.Count(t, c.stage.Scene, "select count(*) from invoices where buyer is not null"))
}
