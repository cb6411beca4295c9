package view

import (
	"perennial/billing/fault"
	"perennial/billing/money"
)

// Warning says that the request was performed but should be sent differently.
type Warning struct {
	Code    string `json:"code" enum:"field_deprecated" example:"field_deprecated" doc:"field_deprecated: the field works for now; the message names the one to send instead."`
	Param   string `json:"param" example:"prices[0].unitPrice" doc:"The field of the request."`
	Message string `json:"message" doc:"What to send instead, for people." example:"unitPrice is in major units and will be refused in a later version. Send unitAmount, which is in minor units: 450 instead of 4.50."`
}

// UnitAmounts reads the prices of units: decimals in minor units, like all amounts, which may be a part of one. A
// request may still have them in major units, under their first names; each such field leads to a warning.
type UnitAmounts struct {
	Decimals
	Warnings []Warning
}

// UnitAmount is a field of a request with the price of one unit or one package.
type UnitAmount struct {
	Name, Minor string // in minor units
	Old, Major  string // the same in major units, where the request has that
}

// OfUnit is the amount of one unit.
func OfUnit(minor, major string) UnitAmount {
	return UnitAmount{"unitAmount", minor, "unitPrice", major}
}

// OfPackage is the amount of one package.
func OfPackage(minor, major string) UnitAmount {
	return UnitAmount{"packageAmount", minor, "packagePrice", major}
}

// contradict refuses an amount in minor units that is not the same as the one in major units.
func (u *UnitAmounts) contradict(at string, f UnitAmount, major money.Decimal, c money.Currency) {
	if u.Err != nil {
		return
	}
	minor, err := money.ParseMinor(f.Minor, c)
	switch {
	case err != nil:
		u.Err = fault.From(err).In(at + f.Name)
	case minor.Cmp(major) != 0:
		u.Err = fault.InvalidParam(at+f.Old, "fields_exclusive",
			"`%s` is `%s` in major units, and both say something else. Send `%s` alone, in minor units.", f.Old, f.Name, f.Name)
	}
}

// Amount reads a price, and returns it in major units of the currency, as billing has it; at names the enclosing object
// in faults. Faults, kept in Err: decimal_invalid, fields_exclusive.
func (u *UnitAmounts) Amount(at string, f UnitAmount, c money.Currency) money.Decimal {
	switch {
	case u.Err != nil:
	case f.Major != "":
		amount := u.Parse(at+f.Old, f.Major)
		if f.Minor != "" { // as in responses
			u.contradict(at, f, amount, c)
		}
		u.Warnings = append(u.Warnings, Warning{
			Code: "field_deprecated", Param: at + f.Old, Message: f.Old + " is in major units and will be refused in a later version. Send " +
				f.Name + ", which is in minor units: " + amount.InMinor(c).String() + " instead of " + f.Major + ".",
		})
		return amount
	case f.Minor != "":
		amount, err := money.ParseMinor(f.Minor, c)
		if err != nil {
			u.Err = fault.From(err).In(at + f.Name)
		}
		return amount
	}
	return money.Decimal{}
}
