package tax

import "perennial/billing/taxid"

// SoldBy returns the payer with the exemption that counts for what a seller of a country bills: the one that was set
// by hand, or else Reverse where the payer owes the tax by law.
func (p Payer) SoldBy(seller string) Payer {
	if p.Exemption == "" && p.reversed(seller) {
		p.Exemption = Reverse
	}
	return p
}

// reversed reports whether a business owes the tax on services that it buys from another country. It shows that it is
// one by a tax id of its country. Where a country is not known, the seller owes the tax.
//
// Sources: for members of the European Union, Directive 2006/112/EC, Articles 44 and 196, wherever the seller is; for
// the United Kingdom, Value Added Tax Act 1994, section 8; for Norway, Merverdiavgiftsloven, section 11-3. Elsewhere
// it depends on more than this, and is set by hand.
func (p Payer) reversed(seller string) bool {
	lands := taxid.Union(p.Country) || p.Country == "GB" || p.Country == "NO"
	return lands && seller != "" && seller != p.Country && p.IDs.businessOf(p.Country)
}
