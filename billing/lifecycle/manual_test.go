package lifecycle_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/creditnote"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/recording"
	"perennial/billing/terms"
)

// desk runs one manual invoice, as tx.Lifecycle.LockManualInvoice loads it.
type desk struct {
	*life
	began money.Minor // the balance before it was finalized
	draft *invoice.Invoice
}

func newDesk(t require.TestingT, balance money.Minor, how terms.Terms, amounts ...int64) *desk {
	s := &store{
		t: t, place: map[string]int{}, settled: map[string]lifecycle.Settlement{}, customer: payer(), balance: balance,
		provider: &lifecycle.Provider{Name: "simulator", ConfigID: "pp_1", Limits: money.Limits{Minimum: 50}},
	}
	var lines []invoicing.Line
	for _, a := range amounts {
		amount := money.Minor(a)
		lines = append(lines, invoicing.Line{Description: "Work", Amount: &amount})
	}
	draft, err := invoicing.New(invoicing.Identity{ID: "in_1", CustomerID: "cust_1", Currency: "EUR"},
		invoicing.Content{Lines: lines, Terms: how},
		invoicing.Around{LineID: func(i int) string { return fmt.Sprintf("il_%d", i) }, Now: created})
	require.NoError(t, err)
	l := &life{
		t: t, store: s, ids: &ids{}, now: created, real: created, captured: map[string]bool{}, lost: map[string]int{},
	}
	return &desk{l, balance, &draft}
}

func (d *desk) state() lifecycle.State {
	state := d.store.load(false)
	state.Paid, state.WrittenOff = nil, nil
	state.Currency, state.Draft = "EUR", d.draft
	return state
}

func (d *desk) finalize() {
	_, changes, err := lifecycle.Finalize(d.state(), d.moment())
	require.NoError(d.t, err)
	d.draft = nil
	d.write(changes)
}

func (d *desk) apply(cmd lifecycle.Command) (lifecycle.Changes, error) {
	_, changes, err := lifecycle.Apply(d.state(), cmd, d.moment())
	if err == nil {
		d.write(changes)
	}
	return changes, err
}

func (d *desk) say(outcome answer.Outcome, txn payment.Transaction) {
	d.send(txn.ID)
	txn = *d.store.transaction(txn.ID)
	said := answer.Answer{Outcome: outcome, Ref: "pi_" + txn.ID}
	if outcome == answer.Succeeded {
		said.Amount, said.Currency = txn.Amount, txn.Currency
	}
	result := recording.Result{Transaction: txn, Move: payment.MoveSend, Protocol: protocol, Answer: said}
	if inv := d.invoice(); inv.Status != invoice.Open {
		result.Invoice = &inv
	}
	_, _, changes, err := recording.Record(d.state(), result, d.moment())
	require.NoError(d.t, err)
	d.write(changes)
}

func (d *desk) invoice() invoice.Invoice { return d.store.invoices[0] }

// write writes a decision, and checks the invariants of a manual invoice.
func (d *desk) write(c lifecycle.Changes) {
	d.store.write(c)
	inv, kept, held := d.invoice(), money.Minor(0), money.Minor(0)
	for _, t := range d.charges() {
		if t.Status == payment.Success {
			kept += t.Amount - t.AmountRefunded
		}
	}
	if inv.Status == invoice.Paid {
		held = inv.AmountPaid - inv.Credited.Refund
	}
	require.Equal(d.t, held, kept, "the money kept is what pays the invoice")
	moved := inv.AmountDue - inv.Total + inv.Credited.Total - inv.Credited.Refund
	if inv.Status == invoice.Void {
		moved = 0
	}
	require.Equal(d.t, d.began+moved, d.store.balance, "the balance has what was not asked for")
	require.Nil(d.t, c.Subscription)
	require.False(d.t, c.Unfinished)
	_, settled := d.store.settled[inv.ID]
	require.Equal(d.t, inv.Status == invoice.Paid, settled)
}

func (d *desk) announced() (types []event.Type) {
	for _, e := range d.store.events {
		types = append(types, e.Type())
	}
	return types
}

// A draft from a restored backup is finalized again: its charge has the first one's id and key.
func TestManualInvoice_FinalizedAgainAfterARestore(t *testing.T) {
	t.Parallel()
	attempt := func(world string) string {
		d := newDesk(t, 0, terms.Terms{}, 500)
		d.ids.world = world
		d.finalize()
		return d.charges()[0].ID
	}
	require.Equal(t, attempt("first"), attempt("restored"))
}

func TestManualInvoice_ChargedAutomatically(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 300, terms.Terms{}, 1000)
	d.finalize()
	require.Equal(t, collection.Charging, d.invoice().Collection.Phase)
	require.Equal(t, money.Minor(700), d.charges()[0].Amount)
	_, err := d.apply(lifecycle.VoidInvoice{InvoiceID: "in_1"})
	require.ErrorContains(t, err, "payment_in_progress")

	d.say(answer.Declined, d.charges()[0])
	require.Equal(t, collection.Exhausted, d.invoice().Collection.Phase, "no retry: nothing would make it")
	require.Zero(t, d.invoice().Collection.RetryAt)
	_, err = d.apply(lifecycle.SkipRetry{InvoiceID: "in_1"})
	require.ErrorIs(t, err, collection.ErrNoRetry)

	wrong := money.Minor(699)
	_, err = d.apply(lifecycle.Pay{InvoiceID: "in_1", Amount: &wrong})
	require.ErrorContains(t, err, "amount_mismatch")
	_, err = d.apply(lifecycle.Pay{InvoiceID: "in_1"})
	require.NoError(t, err)
	d.say(answer.Succeeded, d.charges()[1])
	require.Equal(t, invoice.Paid, d.invoice().Status)
	require.Equal(t, []event.Type{
		event.TypeInvoiceFinalized, event.TypePaymentFailed, event.TypeInvoicePaymentFailed,
		event.TypePaymentSuccess, event.TypeInvoicePaid,
	}, d.announced())

	d.say(answer.Succeeded, d.charges()[0]) // late
	require.Len(t, d.refunds(), 1, "one success counts")
	require.Equal(t, d.charges()[0].ID, d.refunds()[0].ChargeID)
}

func TestManualInvoice_WithoutAPaymentMethod(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 0, terms.Terms{}, 1000)
	d.store.customer.PaymentDetails.PaymentMethodToken = ""
	d.finalize()
	require.Equal(t, payment.Failed, d.charges()[0].Status)
	require.Equal(t, collection.Exhausted, d.invoice().Collection.Phase)
	_, err := d.apply(lifecycle.MarkPaid{InvoiceID: "in_1", Method: "bank_transfer"})
	require.NoError(t, err)
	require.Equal(t, invoice.Paid, d.invoice().Status)
}

func TestManualInvoice_SentIsOverdueOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 0, terms.Terms{Method: terms.Send, NetDays: 14}, 1000)
	d.finalize()
	require.Empty(t, d.charges(), "the customer pays")
	due := d.invoice().DueAt
	for _, at := range []time.Time{due.Add(-time.Second), due, due.AddDate(0, 0, 1)} {
		d.now = at
		_, changes, err := lifecycle.Overdue(d.state(), d.moment())
		require.NoError(t, err)
		d.write(changes)
	}
	require.Equal(t, []event.Type{event.TypeInvoiceFinalized, event.TypeInvoiceOverdue}, d.announced())
	require.Equal(t, due, d.invoice().OverdueAt)

	_, err := d.apply(lifecycle.Pay{InvoiceID: "in_1"})
	require.NoError(t, err)
	require.Equal(t, collection.Manual, d.charges()[0].Trigger)
}

func TestManualInvoice_NothingToPay(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 5000, terms.Terms{}, 1000)
	d.finalize()
	require.Equal(t, invoice.Paid, d.invoice().Status)
	require.Equal(t, money.Minor(4000), d.store.balance)
	require.Equal(t, []event.Type{event.TypeInvoiceFinalized, event.TypeInvoicePaid}, d.announced())

	_, _, err := lifecycle.Finalize(d.state(), d.moment())
	require.ErrorIs(t, err, invoicing.ErrNotDraft)
}

// In any life of a manual invoice one success counts, the balance and the money explain the debt, and it is announced
// as overdue at most once. The checks are in desk.write and in the store.
func TestManualInvoice_AnyLife(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		how := terms.Terms{}
		if rapid.Bool().Draw(t, "sent") {
			how = terms.Terms{Method: terms.Send, NetDays: rapid.IntRange(0, 3).Draw(t, "days")}
		}
		amounts := rapid.SliceOfN(rapid.Int64Range(0, 2000), 1, 3).Draw(t, "amounts")
		d := newDesk(t, money.Minor(rapid.Int64Range(-300, 1500).Draw(t, "balance")), how, amounts...)
		d.finalize()
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			d.now = d.now.Add(time.Duration(rapid.IntRange(0, 30).Draw(t, "hours")) * time.Hour)
			d.real = d.now
			d.anything(t)
		}
		overdue := 0
		for _, typ := range d.announced() {
			if typ == event.TypeInvoiceOverdue {
				overdue++
			}
		}
		require.LessOrEqual(t, overdue, 1)
	})
}

func (d *desk) anything(t *rapid.T) {
	inv := d.invoice()
	closed := &inv
	if inv.Status == invoice.Open {
		closed = nil
	}
	switch rapid.IntRange(0, 7).Draw(t, "what") {
	case 0:
		_, _ = d.apply(lifecycle.Pay{InvoiceID: inv.ID}) // may be refused
	case 1:
		_, _ = d.apply(lifecycle.MarkPaid{InvoiceID: inv.ID, Method: "cash", Closed: closed})
	case 2:
		_, _ = d.apply(lifecycle.VoidInvoice{InvoiceID: inv.ID})
	case 3:
		_, _ = d.apply(lifecycle.MarkUncollectible{InvoiceID: inv.ID})
	case 4:
		d.credit(t, inv)
	case 5:
		_, changes, err := lifecycle.Overdue(d.state(), d.moment())
		require.NoError(t, err)
		d.write(changes)
	default:
		var charges []payment.Transaction
		for _, c := range d.charges() {
			if !c.External() {
				charges = append(charges, c)
			}
		}
		if len(charges) == 0 {
			return
		}
		c := rapid.SampledFrom(charges).Draw(t, "charge")
		outcome := rapid.SampledFrom([]answer.Outcome{
			answer.Succeeded, answer.Declined, answer.Pending,
		}).Draw(t, "outcome")
		if c.Status == payment.Success || d.captured[c.ID] {
			outcome = answer.Succeeded
		}
		d.captured[c.ID] = outcome == answer.Succeeded
		d.say(outcome, c)
	}
}

func (d *desk) credit(t *rapid.T, inv invoice.Invoice) {
	ask := creditnote.Request{
		ID: fmt.Sprintf("cn_%d", len(d.store.notes)), Reason: "goodwill",
		Amount: money.Minor(rapid.Int64Range(1, 1500).Draw(t, "credit")), InMoney: rapid.Bool().Draw(t, "money"),
	}
	cmd := lifecycle.CreditInvoice{
		Request: ask, Invoice: inv, Given: creditnote.Given{Notes: d.store.notes, Reversed: map[string]money.Minor{}},
	}
	if id := d.store.settled[inv.ID].TransactionID; id != "" {
		cmd.Charge = d.store.transaction(id)
	}
	_, _ = d.apply(cmd)
}

func TestManualInvoice_OfADeletedCustomer(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 0, terms.Terms{}, 1000)
	d.store.customer.ErasedAt = created
	_, _, err := lifecycle.Finalize(d.state(), d.moment())
	require.ErrorIs(t, err, invoicing.ErrCustomerDeleted)
}

// Fourteen days from 10:00 UTC, which is 23:00 of the same day in Auckland, end with a day there: 13 hours before
// UTC's.
func TestManualInvoice_IsDueByTheEnvironmentsDays(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 0, terms.Terms{Method: terms.Send, NetDays: 14}, 1000)
	state := d.state()
	state.Settings.TimeZone = "Pacific/Auckland"
	_, changes, err := lifecycle.Finalize(state, d.moment())
	require.NoError(t, err)
	year, month, day := created.UTC().Date()
	require.Equal(t, 10, created.UTC().Hour())
	require.Equal(t, time.Date(year, month, day+14, 11, 0, 0, 0, time.UTC), changes.Invoices.Of(lifecycle.InvoiceFinalized)[0].DueAt.UTC())
}
