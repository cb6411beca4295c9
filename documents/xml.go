package documents

import (
	"perennial/billing/document"
	"perennial/billing/einvoice"
	"perennial/documents/cii"
	"perennial/documents/words"
)

// XML returns a document as an electronic invoice by EN 16931, in the syntax CII. Faults: einvoice_data_missing,
// einvoice_unsupported, with the field; the time zone is none.
func XML(d document.Document, locale, timeZone string) ([]byte, error) {
	w, err := BuiltIn.writer(d, locale, timeZone)
	if err != nil {
		return nil, err
	}
	return w.xml()
}

func (w writer) xml() ([]byte, error) {
	e, err := einvoice.Of(w.Document)
	if err != nil {
		return nil, err
	}
	texts := cii.Texts{
		Discount: w.lang.Sums[document.Discount],
		Exempt: map[einvoice.Category]string{
			einvoice.Reverse:    w.lang.Notes[document.ReverseCharge],
			einvoice.Exempt:     w.lang.Notes[document.TaxExempt],
			einvoice.NotSubject: "Not subject to VAT", // the reason's own name in the list VATEX
		},
	}
	for _, n := range w.Notes {
		texts.Notes = append(texts.Notes, w.lang.Notes[n])
	}
	if w.Memo != "" {
		texts.Notes = append(texts.Notes, w.Memo)
	}
	// The rest is settled as the document says it: charged, put to the balance, refunded.
	asked := w.headline()
	for _, s := range append([]document.Sum{asked}, w.settled()...) {
		amount, err := words.Amount(w.locale, w.Currency, s.Amount)
		if err != nil {
			return nil, err
		}
		if texts.Terms != "" {
			texts.Terms += "; "
		}
		texts.Terms += w.lang.Sums[s.Kind] + ": " + amount
	}
	return cii.Write(e, texts, w.in)
}

// settled are the sums that say where the money of a credit note goes.
func (w writer) settled() (out []document.Sum) {
	for _, s := range w.Sums {
		switch s.Kind {
		case document.OffDue, document.ToBalance, document.Refunded:
			out = append(out, s)
		default:
		}
	}
	return out
}
