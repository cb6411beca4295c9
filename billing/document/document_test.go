package document_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/creditnote"
	"perennial/billing/customer"
	"perennial/billing/document"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/tax"
)

// The sums that a reader adds up lead from the lines to what is to be paid.
func TestOfInvoice_SumsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(most int64, what string) money.Minor { return money.Minor(rapid.Int64Range(0, most).Draw(t, what)) }
		var i invoice.Invoice
		for range rapid.IntRange(1, 5).Draw(t, "lines") {
			l := invoice.Line{Amount: draw(100_000, "amount"), PlanID: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "plan")}
			share := invoice.Share{CouponID: "coup_1", Code: "WELCOME", Amount: draw(int64(l.Amount), "discount")}
			l.Discounts = invoice.Shares{share}
			i.Lines, i.Discount, i.Total = append(i.Lines, l), i.Discount+share.Amount, i.Total+l.Net()
		}
		i.Tax = draw(20_000, "tax")
		i.Taxes = invoice.Taxes{
			{Rate: tax.Rate{Name: "VAT"}, Amount: i.Tax}, {Rate: tax.Rate{Name: "Within", Inclusive: true}, Amount: 7},
		}
		i.Total += i.Tax
		i.CreditApplied = draw(int64(i.Total), "credit")
		i.BroughtForward = draw(500, "brought")
		i.AmountDue = i.Total - i.CreditApplied + i.BroughtForward
		i.Status = rapid.SampledFrom([]invoice.Status{invoice.Open, invoice.Paid}).Draw(t, "status")
		i.AmountPaid = i.AmountDue

		d := document.OfInvoice(i)

		var lines money.Minor
		for _, s := range d.Sections {
			for _, l := range s.Lines {
				lines += l.Amount
			}
		}
		require.Equal(t, lines, d.Sum(document.Subtotal))
		require.Equal(t, d.Sum(document.Total),
			d.Sum(document.Subtotal)+d.Sum(document.Discount)+d.Sum(document.AddedTax))
		asked := d.Sums[len(d.Sums)-1]
		require.Equal(t, asked.Amount,
			d.Sum(document.Total)+d.Sum(document.CreditUsed)+d.Sum(document.BroughtForward)+d.Sum(document.CarriedForward))
	})
}

func TestOfInvoice_SectionsAreOfOneProductAndPeriod(t *testing.T) {
	t.Parallel()
	month := period.Period{Start: time.Unix(0, 0), End: time.Unix(100, 0)}
	d := document.OfInvoice(invoice.Invoice{Lines: []invoice.Line{
		{Description: "a", PlanID: "p", Period: month}, {Description: "b", PlanID: "p", Period: month},
		{Description: "c", PlanID: "q", Period: month}, {Description: "fee"},
	}})
	var sizes []int
	for _, s := range d.Sections {
		sizes = append(sizes, len(s.Lines))
	}
	require.Equal(t, []int{2, 1, 1}, sizes)
}

func TestOfInvoice_States(t *testing.T) {
	t.Parallel()
	for status, want := range map[invoice.Status]document.State{
		invoice.InDraft: document.Draft, invoice.Open: document.Due, invoice.Paid: document.Paid, invoice.Void: document.Void,
		invoice.Uncollectible: document.Uncollectible,
	} {
		require.Equal(t, want, document.OfInvoice(invoice.Invoice{Status: status}).State)
	}
	require.Equal(t, "7", document.OfInvoice(invoice.Invoice{Number: 7}).Number, "issued before numbers had texts")
	reverse := document.OfInvoice(invoice.Invoice{TaxExempt: tax.Reverse})
	require.Equal(t, []document.Note{document.ReverseCharge}, reverse.Notes)
}

// A void invoice asks for no money; one that is not collected still shows what it asked for.
func TestOfInvoice_Void(t *testing.T) {
	t.Parallel()
	i := invoice.Invoice{Status: invoice.Void, Total: 500, CreditApplied: 100, AmountDue: 400}
	sums := document.OfInvoice(i).Sums
	require.Equal(t, document.Sum{Kind: document.Total, Amount: 500}, sums[len(sums)-1])
	i.Status = invoice.Uncollectible
	sums = document.OfInvoice(i).Sums
	require.Equal(t, document.Sum{Kind: document.AmountDue, Amount: 400}, sums[len(sums)-1])
}

func TestOfCreditNote_NamesTheLinesOfItsInvoice(t *testing.T) {
	t.Parallel()
	of := invoice.Invoice{
		Number: 1, NumberText: "A-1",
		Lines: []invoice.Line{{ID: "il_1", Description: "Pro"}, {ID: "il_2", Description: "Seats"}},
	}
	d := document.OfCreditNote(creditnote.Note{
		Number: 3, Lines: []creditnote.Line{{InvoiceLineID: "il_2", Amount: 40}}, Subtotal: 40, Total: 40, Balance: 30, Due: 10,
	}, of)
	require.Equal(t, []string{"3", "A-1"}, []string{d.Number, d.Of})
	require.Equal(t, []document.Section{{Lines: []document.Line{{ID: "il_2", Description: "Seats", Amount: 40}}}}, d.Sections)
	require.Equal(t, d.Sum(document.Total), d.Sum(document.ToBalance)+d.Sum(document.OffDue)+d.Sum(document.Refunded))
}

// A receipt has what its invoice bills, what was paid, and what went back since.
func TestOfPayment(t *testing.T) {
	t.Parallel()
	paid := invoice.Invoice{
		Number: 1, NumberText: "A-1", Status: invoice.Paid, Total: 500, AmountDue: 400, AmountPaid: 400, CreditApplied: 100,
		Lines: []invoice.Line{{ID: "il_1", Description: "Pro", Amount: 500}},
	}
	charge := payment.Transaction{
		ID: "txn_1", Type: payment.Charge, Status: payment.Success, InvoiceID: "in_1", Amount: 400, AmountRefunded: 150,
		Method: payment.Method{Type: "mobile_money_mtn", Details: customer.PaymentDetails{PhoneNumber: "+237670000001"}},
	}
	by := document.MethodOf(charge.Method)
	require.Equal(t, document.Method{Type: "mobile_money_mtn", LastFour: "0001"}, by)
	d, err := document.OfPayment(charge, paid, by)
	require.NoError(t, err)
	require.Equal(t, []string{"txn_1", "A-1"}, []string{d.Number, d.Of})
	require.Equal(t, []money.Minor{500, 500, -100, 400, -150}, []money.Minor{
		d.Sum(document.Subtotal), d.Sum(document.Total), d.Sum(document.CreditUsed), d.Sum(document.AmountPaid),
		d.Sum(document.Refunded),
	})

	void := paid
	void.Status = invoice.Void
	d, err = document.OfPayment(charge, void, by)
	require.NoError(t, err)
	require.Equal(t, money.Minor(500), d.Sum(document.Total), "money that came after it was voided")

	charge.InvoiceID, charge.Description, charge.AmountRefunded = "", "Top-up", 0
	alone, err := document.OfPayment(charge, invoice.Invoice{}, by)
	require.NoError(t, err)
	require.Equal(t, "Top-up", alone.Sections[0].Lines[0].Description)
	require.Equal(t, []document.Sum{{Kind: document.AmountPaid, Amount: 400}}, alone.Sums)

	for _, none := range []payment.Transaction{
		{Type: payment.Refund, Status: payment.Refunded}, {Type: payment.Charge, Status: payment.Declined},
	} {
		_, err := document.OfPayment(none, paid, document.Method{})
		require.ErrorIs(t, err, document.ErrNoReceipt)
	}
}
