package rating

import (
	"fmt"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// Amounts has the money parameters of a price in another currency. All others, such as included units and the size of a
// package, are the same in every currency, so that only the price has them.
type Amounts struct {
	Amount       money.Minor        `json:"amount,omitzero"`
	UnitPrice    money.Decimal      `json:"unitPrice,omitzero"`
	PackagePrice money.Decimal      `json:"packagePrice,omitzero"`
	Tiers        []TierAmounts      `json:"tiers,omitempty"` // as many as the price has, in its order
	Transactions TransactionAmounts `json:"transactions,omitzero"`
	Minimum      money.Minor        `json:"minimum,omitzero"`
	Maximum      money.Minor        `json:"maximum,omitzero"`
}

// Currencies has the amounts of a price in further currencies of its plan.
type Currencies map[money.Currency]Amounts

// CurrencyMissing refuses a price without amounts in a currency that others of its plan have: at names them. Fault:
// price_currency_missing.
func CurrencyMissing(at string, c money.Currency) error {
	return fault.InvalidParam(at, "price_currency_missing",
		"The plan is sold in %s only if all its prices are. Send the amounts of this price in %s as well.", c, c)
}

// TierAmounts has the amounts of a tier.
type TierAmounts struct {
	// UpTo is money where the quantity is (graduated_percentage), and absent everywhere else.
	UpTo         money.Decimal `json:"upTo,omitzero"`
	UnitPrice    money.Decimal `json:"unitPrice,omitzero"`
	PackagePrice money.Decimal `json:"packagePrice,omitzero"`
	FlatAmount   money.Minor   `json:"flatAmount,omitzero"`
}

// TransactionAmounts has the amounts of Transactions.
type TransactionAmounts struct {
	Fee        money.Decimal `json:"fee,omitzero"`
	Minimum    money.Decimal `json:"minimum,omitzero"`
	Maximum    money.Decimal `json:"maximum,omitzero"`
	FreeAmount money.Decimal `json:"freeAmount,omitzero"`
}

// In returns the price with these amounts in the place of its own. It has as many tiers as a, which CheckAmounts
// accepts.
func (p Price) In(a Amounts) Price {
	p.Amount, p.UnitPrice, p.PackagePrice, p.Minimum, p.Maximum = a.Amount, a.UnitPrice, a.PackagePrice,
		a.Minimum, a.Maximum
	t := a.Transactions
	p.Transactions.Fee, p.Transactions.Minimum, p.Transactions.Maximum = t.Fee, t.Minimum, t.Maximum
	p.Transactions.FreeAmount = t.FreeAmount
	var tiers []Tier
	for i, tier := range p.Tiers {
		own := a.Tiers[i]
		tier.UnitPrice, tier.PackagePrice, tier.FlatAmount = own.UnitPrice, own.PackagePrice, own.FlatAmount
		if p.Model == GraduatedPercentage {
			tier.UpTo = own.UpTo
		}
		tiers = append(tiers, tier)
	}
	p.Tiers = tiers
	return p
}

// CheckAmounts checks the amounts of a valid price in another currency. Each amount of the price must be there, and no
// other: a missing minimum would be given away, and a price that is free in one currency is free in every one. Faults:
// tiers_count_out_of_range, those of Validate.
func (p Price) CheckAmounts(a Amounts) error {
	if len(a.Tiers) != len(p.Tiers) {
		return fault.InvalidParam("tiers", "tiers_count_out_of_range",
			"The price has %d tiers, in every currency. The request has %d: send the amounts of each tier, in their order.",
			len(p.Tiers), len(a.Tiers))
	}
	in := p.In(a)
	if err := sameParameters("", p.fields(), in.fields()); err != nil {
		return err
	}
	for i, tier := range in.Tiers {
		at := fmt.Sprintf("tiers[%d].", i)
		if a.Tiers[i].UpTo.IsGiven() && p.Model != GraduatedPercentage {
			return fault.InvalidParam(at+"upTo", "price_parameter_unexpected",
				"`%s` is no amount of money, and the same in every currency. Leave it out.", at+"upTo")
		}
		if err := sameParameters(at, p.Tiers[i].fields(), tier.fields()); err != nil {
			return err
		}
	}
	return in.Validate()
}

// sameParameters refuses parameters of which one charges something and its counterpart is absent or 0.
func sameParameters(at string, own, other []field) error {
	for i, f := range own {
		switch is, want := !other[i].zero(), !f.zero(); {
		case want && !is:
			return fault.InvalidParam(at+f.name, "price_parameter_missing",
				"`%s` must be above 0, as it is in the plan's own currency: what costs something in one currency does so in "+
					"every one.", at+f.name)
		case is && !want:
			return fault.InvalidParam(at+f.name, "price_parameter_unexpected",
				"`%s` is absent or 0 in the plan's own currency, and so it must be in every other one. Leave it out.", at+f.name)
		}
	}
	return nil
}

// zero reports whether a parameter is absent or 0. Lists and groups are neither: their own parameters are compared.
func (f field) zero() bool { return f.amount == 0 && f.number.Sign() == 0 }
