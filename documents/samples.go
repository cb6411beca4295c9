package documents

import (
	"time"

	"perennial/billing/creditnote"
	"perennial/billing/document"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/postal"
	"perennial/billing/tax"
)

// SampleInvoice is an open invoice with all that an invoice may have: for previews of templates, their check, and
// tests.
func SampleInvoice(locale string) invoice.Invoice {
	vat := tax.Rate{ID: "txr_1", Name: "VAT", Percent: money.Whole(19)}
	during := period.Period{Start: december(1), End: december(31).AddDate(0, 0, 1)}
	line := func(id, what, quantity, price string, amount money.Minor) invoice.Line {
		return invoice.Line{
			ID: id, Kind: invoice.Recurring, Description: what, PlanID: "plan_1", Quantity: quantity, UnitPrice: price,
			Amount: amount, Period: during, Rates: []tax.Rate{vat},
		}
	}
	seats := line("il_2", "Seats", "12", "", 11000)
	seats.Explanation = &invoice.Explanation{Steps: []invoice.Step{
		{Quantity: "10", UnitPrice: "10", Amount: "100"}, {Quantity: "2", UnitPrice: "5", Amount: "10"},
	}}
	seats.Discounts = invoice.Shares{{CouponID: "coup_1", Code: "WELCOME", Amount: 1000}}
	fee := line("il_3", "Setup", "1", "50", 5000)
	fee.Kind, fee.PlanID, fee.Period = invoice.OneOff, "", period.Period{}
	return invoice.Invoice{
		ID: "in_1", Number: 42, NumberText: "2026-0042", Status: invoice.Open, Currency: "EUR",
		Seller: invoice.Seller{Name: "Perennial GmbH", Address: "Gartenstraße 1, 10115 Berlin", Country: "DE", TaxID: "DE136695976"},
		Buyer: invoice.Buyer{
			Name: "Åsa & Søn <ApS>", Email: "billing@example.com", Country: "DK", Locale: locale, TimeZone: "UTC",
			Address: postal.Address{Line1: "Nørregade 7", City: "København", PostalCode: "1165"},
			TaxIDs:  tax.IDs{{Type: "eu_vat", Value: "DK13585628"}},
		},
		Lines:    []invoice.Line{line("il_1", "Pro plan", "1", "299.95", 29995), seats, fee},
		Discount: 1000, Tax: 8549, Taxes: invoice.Taxes{{Rate: vat, Base: 44995, Amount: 8549}}, Total: 53544,
		CreditApplied: 3544, AmountDue: 50000, Period: during, IssuedAt: december(1), DueAt: december(16),
		Memo: "Thank you.\nPurchase order 4711",
	}
}

// SampleCreditNote is a credit note of SampleInvoice.
func SampleCreditNote(of invoice.Invoice) creditnote.Note {
	return creditnote.Note{
		ID: "cn_1", Number: 7, InvoiceID: of.ID, Currency: of.Currency, Seller: of.Seller, Buyer: of.Buyer,
		Lines: []creditnote.Line{{InvoiceLineID: "il_2", Amount: 5000}}, Subtotal: 5000, Tax: 950,
		Taxes: invoice.Taxes{{Rate: of.Taxes[0].Rate, Base: 5000, Amount: 950}}, Total: 5950, Balance: 5950,
		CreatedAt: december(20),
	}
}

// Sample returns a document of a kind, of which nothing exists.
func Sample(kind document.Kind, locale string) document.Document {
	of := SampleInvoice(locale)
	switch kind {
	case document.CreditNote:
		return document.OfCreditNote(SampleCreditNote(of), of)
	case document.Receipt:
		of.Status, of.AmountDue, of.AmountPaid = invoice.Paid, 0, 50000
		paid, err := document.OfPayment(payment.Transaction{
			ID: "txn_1", InvoiceID: of.ID, Type: payment.Charge, Status: payment.Success, Currency: of.Currency, Amount: 50000,
			CompletedAt: december(15),
		}, of, document.Method{Type: "card", Brand: "visa", LastFour: "4242"})
		if err != nil {
			panic(err) // it is a charge that succeeded
		}
		return paid
	case document.Invoice:
	}
	return document.OfInvoice(of)
}

func december(day int) time.Time { return time.Date(2026, 12, day, 0, 0, 0, 0, time.UTC) }
