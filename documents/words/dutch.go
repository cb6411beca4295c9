package words

import "perennial/billing/document"

var dutch = Language{
	Tag: "nl", Date: "{day} {month} {year}",
	Months: [12]string{
		"januari", "februari", "maart", "april", "mei", "juni",
		"juli", "augustus", "september", "oktober", "november", "december",
	},
	Texts: Texts{
		Invoice:     "Factuur",
		CreditNote:  "Creditnota",
		Receipt:     "Betalingsbewijs",
		Number:      "Nummer",
		IssuedOn:    "Datum",
		DueOn:       "Vervaldatum",
		PaidOn:      "Betaald op",
		PaidBy:      "Betaalmethode",
		Card:        "Kaart",
		CreditOf:    "Voor factuur",
		From:        "Van",
		To:          "Aan",
		TaxID:       "Btw-nummer",
		Description: "Omschrijving",
		Quantity:    "Aantal",
		Price:       "Prijs",
		Sum:         "Bedrag",
		Page:        "Pagina {page} van {pages}",
		States: map[document.State]string{
			document.Draft:         "Concept",
			document.Due:           "Te betalen",
			document.Paid:          "Betaald",
			document.Void:          "Vervallen",
			document.Uncollectible: "Oninbaar",
			document.Issued:        "Uitgegeven",
		},
		Sums: map[document.SumKind]string{
			document.Subtotal:       "Subtotaal",
			document.Discount:       "Korting",
			document.AddedTax:       "Belasting",
			document.IncludedTax:    "Inbegrepen belasting",
			document.Total:          "Totaal",
			document.CreditUsed:     "Betaald uit uw tegoed",
			document.BroughtForward: "Van eerdere facturen",
			document.CarriedForward: "Overgebracht naar een latere factuur",
			document.Credited:       "Gecrediteerd",
			document.AmountDue:      "Te betalen bedrag",
			document.AmountPaid:     "Betaald bedrag",
			document.ToBalance:      "Toegevoegd aan uw tegoed",
			document.Refunded:       "Terugbetaald",
			document.OffDue:         "In mindering op het te betalen bedrag",
		},
		Notes: map[document.Note]string{
			document.ReverseCharge: "Btw verlegd: de afnemer is de belasting verschuldigd.",
			document.TaxExempt:     "Vrijgesteld van belasting.",
		},
	},
}
