package words

import "perennial/billing/document"

var swahili = Language{
	Tag: "sw", Date: "{day} {month} {year}",
	Months: [12]string{
		"Januari", "Februari", "Machi", "Aprili", "Mei", "Juni",
		"Julai", "Agosti", "Septemba", "Oktoba", "Novemba", "Desemba",
	},
	Texts: Texts{
		Invoice:     "Ankara",
		CreditNote:  "Hati ya mkopo",
		Receipt:     "Risiti",
		Number:      "Nambari",
		IssuedOn:    "Tarehe",
		DueOn:       "Tarehe ya mwisho",
		PaidOn:      "Imelipwa",
		PaidBy:      "Njia ya malipo",
		Card:        "Kadi",
		CreditOf:    "Ya ankara",
		From:        "Kutoka",
		To:          "Kwa",
		TaxID:       "Nambari ya kodi",
		Description: "Maelezo",
		Quantity:    "Idadi",
		Price:       "Bei",
		Sum:         "Kiasi",
		Page:        "Ukurasa {page} kati ya {pages}",
		States: map[document.State]string{
			document.Draft:         "Rasimu",
			document.Due:           "Haijalipwa",
			document.Paid:          "Imelipwa",
			document.Void:          "Imebatilishwa",
			document.Uncollectible: "Imefutwa",
			document.Issued:        "Imetolewa",
		},
		Sums: map[document.SumKind]string{
			document.Subtotal:       "Jumla ndogo",
			document.Discount:       "Punguzo",
			document.AddedTax:       "Kodi",
			document.IncludedTax:    "Kodi iliyojumuishwa",
			document.Total:          "Jumla",
			document.CreditUsed:     "Imelipwa kutoka salio lako",
			document.BroughtForward: "Kutoka ankara za awali",
			document.CarriedForward: "Imehamishiwa ankara ya baadaye",
			document.Credited:       "Imerejeshwa",
			document.AmountDue:      "Kiasi cha kulipa",
			document.AmountPaid:     "Kiasi kilicholipwa",
			document.ToBalance:      "Imeongezwa kwenye salio lako",
			document.Refunded:       "Imerudishwa",
			document.OffDue:         "Imetolewa kwenye kiasi cha kulipa",
		},
		Notes: map[document.Note]string{
			document.ReverseCharge: "Kodi inalipwa na mteja (reverse charge).",
			document.TaxExempt:     "Haitozwi kodi.",
		},
	},
}
