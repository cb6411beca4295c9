package routing

import "strings"

// countries has the countries of mobile money, by their calling code (ITU E.164). Codes that several countries share
// are left out.
var countries = map[string]string{
	"+221": "SN", "+223": "ML", "+224": "GN", "+225": "CI", "+226": "BF", "+228": "TG", "+229": "BJ", "+231": "LR",
	"+232": "SL", "+233": "GH", "+234": "NG", "+237": "CM", "+241": "GA", "+242": "CG", "+243": "CD", "+250": "RW",
	"+251": "ET", "+254": "KE", "+255": "TZ", "+256": "UG", "+258": "MZ", "+260": "ZM", "+265": "MW", "+266": "LS",
}

// CountryOf returns the country of a phone number in international format; empty: it is not known by the number.
func CountryOf(phone string) string {
	if !strings.HasPrefix(phone, "+") {
		phone = "+" + phone
	}
	if len(phone) < 4 {
		return ""
	}
	return countries[phone[:4]]
}
