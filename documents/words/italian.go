package words

import "perennial/billing/document"

var italian = Language{
	Tag: "it", Date: "{day} {month} {year}",
	Months: [12]string{
		"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno",
		"luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre",
	},
	Texts: Texts{
		Invoice:     "Fattura",
		CreditNote:  "Nota di credito",
		Receipt:     "Ricevuta",
		Number:      "Numero",
		IssuedOn:    "Data",
		DueOn:       "Scadenza",
		PaidOn:      "Pagata il",
		PaidBy:      "Metodo di pagamento",
		Card:        "Carta",
		CreditOf:    "Per la fattura",
		From:        "Da",
		To:          "A",
		TaxID:       "Codice fiscale",
		Description: "Descrizione",
		Quantity:    "Quantità",
		Price:       "Prezzo",
		Sum:         "Importo",
		Page:        "Pagina {page} di {pages}",
		States: map[document.State]string{
			document.Draft:         "Bozza",
			document.Due:           "Da pagare",
			document.Paid:          "Pagata",
			document.Void:          "Annullata",
			document.Uncollectible: "Inesigibile",
			document.Issued:        "Emessa",
		},
		Sums: map[document.SumKind]string{
			document.Subtotal:       "Subtotale",
			document.Discount:       "Sconto",
			document.AddedTax:       "Imposta",
			document.IncludedTax:    "Imposta inclusa",
			document.Total:          "Totale",
			document.CreditUsed:     "Pagato con il saldo",
			document.BroughtForward: "Da fatture precedenti",
			document.CarriedForward: "Riportato a una fattura successiva",
			document.Credited:       "Accreditato",
			document.AmountDue:      "Importo da pagare",
			document.AmountPaid:     "Importo pagato",
			document.ToBalance:      "Aggiunto al saldo",
			document.Refunded:       "Rimborsato",
			document.OffDue:         "Detratto dall’importo da pagare",
		},
		Notes: map[document.Note]string{
			document.ReverseCharge: "Inversione contabile: l’imposta è dovuta dal cliente.",
			document.TaxExempt:     "Esente da imposta.",
		},
	},
}
