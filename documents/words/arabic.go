package words

import "perennial/billing/document"

var arabic = Language{
	Tag: "ar", RightLeft: true, Date: "{day} {month} {year}",
	Months: [12]string{
		"يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو",
		"يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر",
	},
	Texts: Texts{
		Invoice:     "فاتورة",
		CreditNote:  "إشعار دائن",
		Receipt:     "إيصال",
		Number:      "الرقم",
		IssuedOn:    "التاريخ",
		DueOn:       "تاريخ الاستحقاق",
		PaidOn:      "تاريخ الدفع",
		PaidBy:      "طريقة الدفع",
		Card:        "بطاقة",
		CreditOf:    "للفاتورة",
		From:        "من",
		To:          "إلى",
		TaxID:       "الرقم الضريبي",
		Description: "الوصف",
		Quantity:    "الكمية",
		Price:       "السعر",
		Sum:         "المبلغ",
		Page:        "صفحة {page} من {pages}",
		States: map[document.State]string{
			document.Draft:         "مسودة",
			document.Due:           "مستحقة",
			document.Paid:          "مدفوعة",
			document.Void:          "ملغاة",
			document.Uncollectible: "مشطوبة",
			document.Issued:        "صادر",
		},
		Sums: map[document.SumKind]string{
			document.Subtotal:       "المجموع الفرعي",
			document.Discount:       "خصم",
			document.AddedTax:       "ضريبة",
			document.IncludedTax:    "ضريبة مشمولة",
			document.Total:          "الإجمالي",
			document.CreditUsed:     "مدفوع من رصيدك",
			document.BroughtForward: "من فواتير سابقة",
			document.CarriedForward: "مرحّل إلى فاتورة لاحقة",
			document.Credited:       "مخصوم بإشعار دائن",
			document.AmountDue:      "المبلغ المستحق",
			document.AmountPaid:     "المبلغ المدفوع",
			document.ToBalance:      "أضيف إلى رصيدك",
			document.Refunded:       "مسترد",
			document.OffDue:         "مخصوم من المبلغ المستحق",
		},
		Notes: map[document.Note]string{
			document.ReverseCharge: "احتساب عكسي: الضريبة مستحقة على العميل.",
			document.TaxExempt:     "معفى من الضريبة.",
		},
	},
}
