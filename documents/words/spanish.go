package words

import "perennial/billing/document"

var spanish = Language{
	Tag: "es", Date: "{day} de {month} de {year}",
	Months: [12]string{
		"enero", "febrero", "marzo", "abril", "mayo", "junio",
		"julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
	},
	Texts: Texts{
		Invoice:     "Factura",
		CreditNote:  "Nota de crédito",
		Receipt:     "Recibo",
		Number:      "Número",
		IssuedOn:    "Fecha",
		DueOn:       "Vencimiento",
		PaidOn:      "Pagada el",
		PaidBy:      "Método de pago",
		Card:        "Tarjeta",
		CreditOf:    "De la factura",
		From:        "De",
		To:          "Para",
		TaxID:       "Número fiscal",
		Description: "Descripción",
		Quantity:    "Cantidad",
		Price:       "Precio",
		Sum:         "Importe",
		Page:        "Página {page} de {pages}",
		States: map[document.State]string{
			document.Draft:         "Borrador",
			document.Due:           "Pendiente",
			document.Paid:          "Pagada",
			document.Void:          "Anulada",
			document.Uncollectible: "Incobrable",
			document.Issued:        "Emitida",
		},
		Sums: map[document.SumKind]string{
			document.Subtotal:       "Subtotal",
			document.Discount:       "Descuento",
			document.AddedTax:       "Impuesto",
			document.IncludedTax:    "Impuesto incluido",
			document.Total:          "Total",
			document.CreditUsed:     "Pagado con su saldo",
			document.BroughtForward: "De facturas anteriores",
			document.CarriedForward: "Pasa a una factura posterior",
			document.Credited:       "Abonado",
			document.AmountDue:      "Importe a pagar",
			document.AmountPaid:     "Importe pagado",
			document.ToBalance:      "Añadido a su saldo",
			document.Refunded:       "Reembolsado",
			document.OffDue:         "Descontado del importe pendiente",
		},
		Notes: map[document.Note]string{
			document.ReverseCharge: "Inversión del sujeto pasivo.",
			document.TaxExempt:     "Exento de impuestos.",
		},
	},
}
