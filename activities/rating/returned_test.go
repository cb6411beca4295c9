package rating_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/service"
	"perennial/service/payments"
	"perennial/service/usecase"
	"perennial/test/life"
	"perennial/test/scene"
)

// billed is a subscription whose first month of usage, 100 calls for 500 minor units, is billed and paid, and the key
// of the record.
func billed(t *testing.T) (l *life.Life, key string) {
	t.Helper()
	s := scene.New(t)
	l = life.Begin(t, s, metering(calls(t, s)))
	at := scene.Start.Add(time.Hour)
	used(l, "eu", 100, at)
	l.Until(scene.Start.AddDate(0, 1, 1))
	return l, fmt.Sprint("eu", 100, at.UnixNano())
}

// credit gives back all that is left of an invoice.
func credit(l *life.Life, inv invoice.Invoice) (note creditnote.Note, err error) {
	l.T.Helper()
	err = service.New(l.Store, l.Clock.Now).Invoices.CreditInvoice(l.T.Context(), caller(l), inv.ID,
		creditnote.Request{Reason: creditnote.Goodwill}, usecase.Around[creditnote.Note]{
			After: func(_ *db.Tx, n creditnote.Note) error { note = n; return nil },
		})
	l.Reload()
	return note, err
}

// The usage is corrected to nothing, which the next invoice gives back; so a credit note gives back the rest alone.
func TestCreditNote_AfterACorrection(t *testing.T) {
	t.Parallel()
	l, key := billed(t)
	takenBack(l, key, 100)
	l.Until(scene.Start.AddDate(0, 2, 1))
	all := l.Invoices()
	require.Len(t, all, 3)
	require.Equal(t, []money.Minor{1500, 500}, []money.Minor{all[1].Total, all[2].Total})

	note, err := credit(l, all[1])
	require.NoError(t, err)
	require.Equal(t, money.Minor(1000), note.Total, "the flat price: the usage went back")
	_, err = credit(l, all[1])
	require.ErrorIs(t, err, creditnote.ErrNothingLeft)
	l.Sound()
}

// An unpaid invoice whose usage a later one takes back cannot be voided, which would give the usage back once more.
func TestVoidInvoice_AfterACorrection(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	l := life.Begin(t, s, metering(calls(t, s)))
	life.Perform(t, s, l.Ref, life.SendInvoices())
	l.Reload()
	at := scene.Start.Add(time.Hour)
	used(l, "eu", 100, at)
	l.Until(scene.Start.AddDate(0, 1, 1))
	void := func() error {
		return service.New(l.Store, l.Clock.Now).Invoices.VoidInvoice(
			t.Context(), caller(l), l.Invoices()[1].ID, usecase.Around[invoice.Invoice]{})
	}
	takenBack(l, fmt.Sprint("eu", 100, at.UnixNano()), 100)
	l.Until(scene.Start.AddDate(0, 2, 1))
	all := l.Invoices()
	require.Equal(t, []any{money.Minor(1500), invoice.Open}, []any{all[1].Total, all[1].Status})
	require.Len(t, all, 3, "the usage is taken back")

	require.ErrorIs(t, void(), lifecycle.ErrTakenBack)

	note, err := credit(l, all[1])
	require.NoError(t, err)
	require.Equal(t, money.Minor(1000), note.Total, "the rest")
	l.Sound()
}

// Money that a person refunds without a credit note is not given back again by a correction of the usage that it paid
// for: of 1000 for the plan and 500 for usage, usage bears the money first.
func TestRefund_WithoutANoteThenACorrection(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refunded, corrected money.Minor
	}{
		"none":           {0, 500},
		"some":           {300, 200},
		"all the usage":  {500, 0},
		"more":           {700, 0},
		"the whole":      {1500, 0},
		"one minor unit": {1, 499},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, key := billed(t)
			if c.refunded > 0 {
				err := service.New(l.Store, l.Clock.Now).Payments.RefundCharge(t.Context(), caller(l), l.Last().ID,
					payments.ChargeRefund{Amount: c.refunded}, usecase.Around[payment.Transaction]{})
				require.NoError(t, err)
				l.Reload()
			}
			takenBack(l, key, 100)
			l.Until(scene.Start.AddDate(0, 2, 1))
			all := l.Invoices()
			require.Len(t, all, 3)
			require.Equal(t, 1000-c.corrected, all[2].Total)
			l.Sound()
		})
	}
}

// What a cancellation gives back of the plan's price is borne by that price: a correction of usage on the same invoice
// gives all of it back.
func TestCancel_WithRefundThenACorrection(t *testing.T) {
	t.Parallel()
	l, key := billed(t)
	require.Equal(t, money.Minor(1500), l.Last().Amount)
	l.Until(scene.Start.AddDate(0, 1, 15))
	takenBack(l, key, 100)
	require.Nil(t, l.Command(life.Command{Name: contract.CommandCancel, ImmediateEffect: true, Refund: "prorated"}).Refusal)
	refunds := l.RefundRows(t)
	require.Len(t, refunds, 1)
	require.Less(t, refunds[0].Amount, money.Minor(1000))
	l.Until(scene.Start.AddDate(0, 3, 0))

	balance, err := l.Store.Customers.CreditBalance(t.Context(), l.Env, l.Payer.ID, "EUR")
	require.NoError(t, err)
	require.Equal(t, money.Minor(500), balance, "all of the usage, beside the refund of the time")
	l.Sound()
}

// Where the correction is all that a last invoice would have, it is a credit note for the invoice that billed the usage.
func TestCorrection_IsACreditNote(t *testing.T) {
	t.Parallel()
	l, key := billed(t)
	takenBack(l, key, 40)
	l.Perform(life.CancelNow(""))
	l.Until(l.Clock.Now().Add(48 * time.Hour))

	all := l.Invoices()
	require.Len(t, all, 2, "no invoice below zero")
	notes := l.CreditNotes()
	require.Len(t, notes, 1)
	require.Equal(t, [2]any{all[1].ID, money.Minor(200)}, [2]any{notes[0].InvoiceID, notes[0].Total})
	require.Equal(t, invoice.Metered, lineOf(all[1], notes[0].Lines[0].InvoiceLineID).Kind)
	require.Equal(t, money.Minor(200), notes[0].Balance)
	note, err := credit(l, all[1])
	require.NoError(t, err)
	require.Equal(t, money.Minor(1300), note.Total, "the rest of 1000 and 500")
	l.Sound()
}

func lineOf(inv invoice.Invoice, id string) (line invoice.Line) {
	for _, l := range inv.Lines {
		if l.ID == id {
			line = l
		}
	}
	return line
}
