package words

import "perennial/billing/document"

var english = Language{
	Tag: "en", Date: "{day} {month} {year}",
	Months: [12]string{
		"January", "February", "March", "April", "May", "June",
		"July", "August", "September", "October", "November", "December",
	},
	Texts: Texts{
		Invoice:     "Invoice",
		CreditNote:  "Credit note",
		Receipt:     "Receipt",
		Number:      "Number",
		IssuedOn:    "Date",
		DueOn:       "Due",
		PaidOn:      "Paid",
		PaidBy:      "Payment method",
		Card:        "Card",
		CreditOf:    "For invoice",
		From:        "From",
		To:          "To",
		TaxID:       "Tax ID",
		Description: "Description",
		Quantity:    "Quantity",
		Price:       "Price",
		Sum:         "Amount",
		Page:        "Page {page} of {pages}",
		States: map[document.State]string{
			document.Draft:         "Draft",
			document.Due:           "Due",
			document.Paid:          "Paid",
			document.Void:          "Void",
			document.Uncollectible: "Written off",
			document.Issued:        "Issued",
		},
		Sums: map[document.SumKind]string{
			document.Subtotal:       "Subtotal",
			document.Discount:       "Discount",
			document.AddedTax:       "Tax",
			document.IncludedTax:    "Included tax",
			document.Total:          "Total",
			document.CreditUsed:     "Paid from your balance",
			document.BroughtForward: "From earlier invoices",
			document.CarriedForward: "Carried to a later invoice",
			document.Credited:       "Credited",
			document.AmountDue:      "Amount due",
			document.AmountPaid:     "Amount paid",
			document.ToBalance:      "Added to your balance",
			document.Refunded:       "Refunded",
			document.OffDue:         "Taken off the amount due",
		},
		Notes: map[document.Note]string{
			document.ReverseCharge: "Reverse charge: the customer owes the tax.",
			document.TaxExempt:     "Exempt from tax.",
		},
	},
}
