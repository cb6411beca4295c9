package words

import "perennial/billing/document"

var german = Language{
	Tag: "de", Date: "{day}. {month} {year}",
	Months: [12]string{
		"Januar", "Februar", "März", "April", "Mai", "Juni",
		"Juli", "August", "September", "Oktober", "November", "Dezember",
	},
	Texts: Texts{
		Invoice:     "Rechnung",
		CreditNote:  "Gutschrift",
		Receipt:     "Zahlungsbeleg",
		Number:      "Nummer",
		IssuedOn:    "Datum",
		DueOn:       "Fällig am",
		PaidOn:      "Bezahlt am",
		PaidBy:      "Zahlungsart",
		Card:        "Karte",
		CreditOf:    "Zu Rechnung",
		From:        "Von",
		To:          "An",
		TaxID:       "Steuernummer",
		Description: "Beschreibung",
		Quantity:    "Menge",
		Price:       "Preis",
		Sum:         "Betrag",
		Page:        "Seite {page} von {pages}",
		States: map[document.State]string{
			document.Draft:         "Entwurf",
			document.Due:           "Offen",
			document.Paid:          "Bezahlt",
			document.Void:          "Storniert",
			document.Uncollectible: "Abgeschrieben",
			document.Issued:        "Ausgestellt",
		},
		Sums: map[document.SumKind]string{
			document.Subtotal:       "Zwischensumme",
			document.Discount:       "Rabatt",
			document.AddedTax:       "Steuer",
			document.IncludedTax:    "Enthaltene Steuer",
			document.Total:          "Gesamtbetrag",
			document.CreditUsed:     "Aus Ihrem Guthaben bezahlt",
			document.BroughtForward: "Aus früheren Rechnungen",
			document.CarriedForward: "Auf eine spätere Rechnung übertragen",
			document.Credited:       "Gutgeschrieben",
			document.AmountDue:      "Zu zahlen",
			document.AmountPaid:     "Bezahlt",
			document.ToBalance:      "Ihrem Guthaben hinzugefügt",
			document.Refunded:       "Erstattet",
			document.OffDue:         "Vom offenen Betrag abgezogen",
		},
		Notes: map[document.Note]string{
			document.ReverseCharge: "Steuerschuldnerschaft des Leistungsempfängers.",
			document.TaxExempt:     "Von der Steuer befreit.",
		},
	},
}
