package tax

import "perennial/billing/fault"

// Exemption is the reason for which a customer's invoices have no tax.
type Exemption string

// The exemptions. Empty: none was set by hand, and SoldBy decides.
const (
	Exempt  Exemption = "exempt"  // the customer owes no tax
	Reverse Exemption = "reverse" // the customer owes the tax instead of the seller; the invoice notes it
	Taxed   Exemption = "taxed"   // none: the seller charges the tax, also where a rule would reverse the charge
)

// OfInvoice returns the exemption that an invoice has: none for Taxed.
func (e Exemption) OfInvoice() Exemption {
	if e == Taxed {
		return ""
	}
	return e
}

// Notice returns the text of an invoice about taxes that the customer owes; empty: there are none.
//
// Source: Directive 2006/112/EC, Article 226 (11a): where the customer is liable for the tax, the invoice mentions
// "Reverse charge".
func (e Exemption) Notice() string {
	if e == Reverse {
		return "Reverse charge"
	}
	return ""
}

// Validate refuses an unknown exemption: tax_exempt_unknown.
func (e Exemption) Validate() error {
	switch e {
	case "", Exempt, Reverse, Taxed:
		return nil
	}
	return fault.InvalidParam("taxExempt", "tax_exempt_unknown",
		"`taxExempt` cannot be %.40q. Send `none`, `exempt`, `reverse` or `taxed`.", string(e))
}
