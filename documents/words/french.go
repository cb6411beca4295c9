package words

import "perennial/billing/document"

var french = Language{
	Tag: "fr", Date: "{day} {month} {year}", FirstDay: "1er",
	Months: [12]string{
		"janvier", "février", "mars", "avril", "mai", "juin",
		"juillet", "août", "septembre", "octobre", "novembre", "décembre",
	},
	ReceiptPaid: "Payé",
	Texts: Texts{
		Invoice:     "Facture",
		CreditNote:  "Avoir",
		Receipt:     "Reçu",
		Number:      "Numéro",
		IssuedOn:    "Date",
		DueOn:       "Échéance",
		PaidOn:      "Date de paiement",
		PaidBy:      "Moyen de paiement",
		Card:        "Carte",
		CreditOf:    "Pour la facture",
		From:        "De",
		To:          "À",
		TaxID:       "Numéro fiscal",
		VATID:       "N° TVA",
		Description: "Description",
		Quantity:    "Quantité",
		Price:       "Prix",
		Sum:         "Montant",
		Page:        "Page {page} sur {pages}",
		States: map[document.State]string{
			document.Draft:         "Brouillon",
			document.Due:           "À payer",
			document.Paid:          "Payée",
			document.Void:          "Annulée",
			document.Uncollectible: "Passée en perte",
			document.Issued:        "Émis",
		},
		Sums: map[document.SumKind]string{
			document.Subtotal:       "Sous-total",
			document.Discount:       "Remise",
			document.AddedTax:       "Taxe",
			document.IncludedTax:    "Taxe incluse", //nolint:misspell // French
			document.Total:          "Total",
			document.CreditUsed:     "Réglé par votre solde",
			document.BroughtForward: "Factures précédentes",
			document.CarriedForward: "Reporté sur une facture ultérieure",
			document.Credited:       "Avoirs",
			document.AmountDue:      "Montant à payer",
			document.AmountPaid:     "Montant payé",
			document.ToBalance:      "Ajouté à votre solde",
			document.Refunded:       "Remboursé",
			document.OffDue:         "Déduit du montant à payer",
		},
		Notes: map[document.Note]string{
			document.ReverseCharge: "Autoliquidation : la taxe est due par le client.",
			document.TaxExempt:     "Exonéré de taxe.",
		},
	},
}
