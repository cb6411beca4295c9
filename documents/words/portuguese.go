package words

import "perennial/billing/document"

var portuguese = Language{
	Tag: "pt", Date: "{day} de {month} de {year}",
	Months: [12]string{
		"janeiro", "fevereiro", "março", "abril", "maio", "junho",
		"julho", "agosto", "setembro", "outubro", "novembro", "dezembro",
	},
	Texts: Texts{
		Invoice:     "Fatura",
		CreditNote:  "Nota de crédito",
		Receipt:     "Recibo",
		Number:      "Número",
		IssuedOn:    "Data",
		DueOn:       "Vencimento",
		PaidOn:      "Paga em",
		PaidBy:      "Método de pagamento",
		Card:        "Cartão",
		CreditOf:    "Da fatura",
		From:        "De",
		To:          "Para",
		TaxID:       "Número fiscal",
		Description: "Descrição",
		Quantity:    "Quantidade",
		Price:       "Preço",
		Sum:         "Valor",
		Page:        "Página {page} de {pages}",
		States: map[document.State]string{
			document.Draft:         "Rascunho",
			document.Due:           "Por pagar",
			document.Paid:          "Paga",
			document.Void:          "Anulada",
			document.Uncollectible: "Incobrável",
			document.Issued:        "Emitida",
		},
		Sums: map[document.SumKind]string{
			document.Subtotal:       "Subtotal",
			document.Discount:       "Desconto",
			document.AddedTax:       "Imposto",
			document.IncludedTax:    "Imposto incluído",
			document.Total:          "Total",
			document.CreditUsed:     "Pago com o seu saldo",
			document.BroughtForward: "De faturas anteriores",
			document.CarriedForward: "Transferido para uma fatura posterior",
			document.Credited:       "Creditado",
			document.AmountDue:      "Valor a pagar",
			document.AmountPaid:     "Valor pago",
			document.ToBalance:      "Adicionado ao seu saldo",
			document.Refunded:       "Reembolsado",
			document.OffDue:         "Deduzido do valor a pagar",
		},
		Notes: map[document.Note]string{
			document.ReverseCharge: "Autoliquidação: o imposto é devido pelo cliente.",
			document.TaxExempt:     "Isento de imposto.",
		},
	},
}
