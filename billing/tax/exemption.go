package tax

import "perennial/billing/fault"

// Exemption says whether a customer's invoices are taxed.
type Exemption string

// The exemptions. Empty: none was set by hand, so that a rule decides.
const (
	Exempt  Exemption = "exempt"  // owes no tax
	Reverse Exemption = "reverse" // owes the tax instead of the seller, who notes that on the invoice
)

// Notice is what an invoice says about the taxes that it leaves out; empty: it leaves none to the customer.
//
// Source: Directive 2006/112/EC, Article 226 (11a): where the customer is liable for the tax, the invoice mentions
// "Reverse charge".
func (e Exemption) Notice() string {
	if e == Reverse {
		return "Reverse charge"
	}
	return ""
}

// Validate refuses what is no exemption: tax_exempt_unknown.
func (e Exemption) Validate() error {
	switch e {
	case "", Exempt, Reverse:
		return nil
	}
	return fault.InvalidParam("taxExempt", "tax_exempt_unknown",
		"`taxExempt` cannot be %.40q. Send `none`, `exempt` or `reverse`.", string(e))
}
