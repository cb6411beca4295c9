package einvoice

import (
	"slices"
	"strings"

	"perennial/billing/document"
	"perennial/billing/fault"
	"perennial/billing/taxid"
)

func missing(field, what string) error {
	return fault.InvalidParam(field, "einvoice_data_missing",
		"The e-invoice cannot be written. %s What an invoice says was frozen when it was issued: new invoices have what you set now.",
		what)
}

func unsupported(field, what string) error {
	return fault.InvalidParam(field, "einvoice_unsupported",
		"The e-invoice cannot be written. %s Send the PDF instead.", what)
}

// expressible refuses what EN 16931 has no form for.
func expressible(d document.Document) error {
	switch {
	case d.State == document.Draft:
		return unsupported("status", "The invoice is a draft and has no number yet.")
	case d.State == document.Void:
		return unsupported("status", "The invoice is void.")
	case d.Currency.Decimals() > 2: // BR-DEC: at most two
		return unsupported("currency", "Its amounts have more than two decimals.")
	case len(d.Sections) == 0: // BR-16
		return unsupported("lines", "It has no lines.")
	}
	return nil
}

// missing names the data that EN 16931 requires and the invoice does not have. Source: the rules of EN 16931-1:2017 by
// their ids.
func (e Invoice) missing() error {
	var faults []error
	need := func(has bool, field, what string) {
		if !has {
			faults = append(faults, missing(field, what))
		}
	}
	taxed := !e.has(NotSubject)
	need(e.Seller.Name != "", "seller.name", "The seller's name is missing.")                   // BR-6
	need(e.Seller.Country != "", "seller.country", "The seller's country is missing.")          // BR-9
	need(e.Buyer.Name != "", "buyer.name", "The buyer's name is missing.")                      // BR-7
	need(e.Buyer.Country != "", "buyer.country", "The buyer's country is missing.")             // BR-11
	need(!taxed || e.Seller.TaxID != "", "seller.taxId", "The seller's tax number is missing.") // BR-S-2, BR-E-2, …
	need(!e.has(Reverse) || e.BuyerVAT != "", "buyer.taxIds",
		"The buyer owes the tax (reverse charge), and has no VAT number with the code of its country.") // BR-AE-2
	need(taxed || len(e.Taxes) == 1, "lines.taxRateIds", // BR-O-11
		"Some lines have a tax rate and others have none. Give the others a rate of 0 percent.")
	return fault.Joined(faults...)
}

// vatNumber returns a number with the code of its country at the front (BR-CO-9); empty: it has none. Greece has its
// own code there, and so has Northern Ireland.
func vatNumber(number, of string) string {
	number = taxid.Compact(number)
	prefixes := []string{of}
	switch of {
	case "GR":
		prefixes = []string{"EL", "GR"}
	case "GB":
		prefixes = []string{"GB", "XI"}
	}
	if of != "" && slices.ContainsFunc(prefixes, func(p string) bool {
		return len(number) > len(p) && strings.HasPrefix(number, p)
	}) {
		return number
	}
	return ""
}
