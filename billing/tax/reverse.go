package tax

import "perennial/billing/taxid"

// SoldBy returns the payer with the exemption for invoices of a seller in a country: the one that was set by hand, or
// else Reverse where the payer owes the tax by law.
func (p Payer) SoldBy(seller string) Payer {
	if p.Exemption == "" && p.reversed(seller) {
		p.Exemption = Reverse
	}
	return p
}

// reversed reports whether the payer owes the tax as a business that buys services from another country. A tax id of
// its country shows that it is a business. Where a country is unknown, the seller owes the tax.
//
// Sources: for members of the European Union, Directive 2006/112/EC, Articles 44 and 196, wherever the seller is; for
// the United Kingdom, Value Added Tax Act 1994, section 8; for Norway, Merverdiavgiftsloven, section 11-3. In other
// countries it depends on more facts, so it is set by hand.
func (p Payer) reversed(seller string) bool {
	lands := taxid.Union(p.Country) || p.Country == "GB" || p.Country == "NO"
	return lands && seller != "" && seller != p.Country && p.IDs.businessOf(p.Country)
}
