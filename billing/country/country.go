// Package country owns which codes stand for a country. It does not own what follows from one: taxes, routing and
// regions have their rules elsewhere.
package country

import (
	"regexp"
	"strings"

	"perennial/billing/fault"
)

// assigned are the 249 officially assigned codes of ISO 3166-1 alpha-2. Sources, which agree: iso3166.tab of the IANA
// time zone database, current as of ISO/TC 46 N1108 (2023-04-05), and iso_3166-1.json of Debian's iso-codes 4.15.
// IsCountry of golang.org/x/text/language is true for former and reserved codes too, such as AN, SU, UK and IC.
const assigned = `
	AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
	CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET
	FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU
	ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY
	MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM
	PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
	SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
	UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
`

// kosovo is a code that ISO leaves to its users. The European Commission, banks (SWIFT) and CLDR use it for Kosovo,
// which has no other.
const kosovo = "XK"

var countries = func() map[string]bool {
	all := map[string]bool{kosovo: true}
	for code := range strings.FieldsSeq(assigned) {
		all[code] = true
	}
	return all
}()

// meant names the codes to send instead of codes in use elsewhere and of former ones (ISO 3166-3), where a country
// follows them.
var meant = map[string]string{
	"UK": "GB", "EL": "GR", // reserved; EL is how VAT numbers of Greece begin
	"XI": "GB",                                     // how VAT numbers of Northern Ireland begin
	"AC": "SH", "TA": "SH", "CP": "FR", "DG": "IO", // reserved, for parts of these
	"EA": "ES", "IC": "ES", "FX": "FR",
	"AN": "BQ, CW or SX", "BU": "MM", "CS": "CZ, SK, RS or ME", "DD": "DE", "DY": "BJ", "HV": "BF", "NH": "VU", "RH": "ZW",
	"SU": "that of its successor, such as RU or UA", "TP": "TL", "VD": "VN", "YD": "YE",
	"YU": "that of its successor, such as RS or HR", "ZR": "CD",
	"EU": "that of the member state, such as DE",
}

var form = regexp.MustCompile(`^[A-Z]{2}$`)

// Check accepts an officially assigned code of ISO 3166-1 alpha-2, and XK for Kosovo. A customer of any other would
// match no tax rate and no rule. Faults: country_malformed, country_unknown, each in the field country.
func Check(code string) error {
	switch {
	case countries[code]:
		return nil
	case !form.MatchString(code):
		return fault.InvalidParam("country", "country_malformed",
			"The country code is malformed. Send two capital letters of ISO 3166-1, such as CM.")
	case meant[code] != "":
		return fault.InvalidParam("country", "country_unknown",
			"%s is not a country code of ISO 3166-1. Send %s instead.", code, meant[code])
	default:
		return fault.InvalidParam("country", "country_unknown",
			"%s is not a country code of ISO 3166-1. Send the code of a country, or leave the field out.", code)
	}
}

// CheckNew is Check for a field that was, and may be empty. A stored code passes: it may be older than the check, and a
// change of another field must not fail because of it.
func CheckNew(was, is string) error {
	if is == "" || is == was {
		return nil
	}
	return Check(is)
}
