package taxid

import "regexp"

// member describes the VAT numbers of a member of the European Union, behind its prefix.
type member struct {
	country string // ISO 3166-1; the prefix of Greece is another
	form    *regexp.Regexp
	example string
	digits  func(number string) bool // nil: no check digits are known
}

// members are the members of the European Union by the prefix of their VAT numbers, and Northern Ireland, which has
// one for its trade in goods.
//
// Forms: European Commission, VIES, "Frequently asked questions", structure of VAT identification numbers
// (https://ec.europa.eu/taxation_customs/vies/#/faq). Check digits: the Commission publishes none; each member has
// its own, as collected by python-stdnum 2.2 (https://arthurdejong.org/python-stdnum), which names a source for
// each. Old numbers, and those of persons, do not follow them everywhere.
var members = map[string]member{
	"AT": {"AT", form(`U\d{8}`), "ATU13585627", austria},
	"BE": {"BE", form(`[01]\d{9}`), "BE0428759497", belgium},
	"BG": {"BG", form(`\d{9,10}`), "BG175074752", bulgaria},
	"CY": {"CY", form(`\d{8}[A-Z]`), "CY10259033P", cyprus},
	"CZ": {"CZ", form(`\d{8,10}`), "CZ25123891", czechia},
	"DE": {"DE", form(`\d{9}`), "DE136695976", mod11And10},
	"DK": {"DK", form(`\d{8}`), "DK13585628", denmark},
	"EE": {"EE", form(`\d{9}`), "EE100931558", estonia},
	"EL": {"GR", form(`\d{9}`), "EL094259216", greece},
	"ES": {"ES", form(`(?:[A-Z]\d{7}[A-Z\d]|\d{8}[A-Z])`), "ESA13585625", spain},
	"FI": {"FI", form(`\d{8}`), "FI20774740", finland},
	"FR": {"FR", form(`[A-HJ-NP-Z\d]{2}\d{9}`), "FR40303265045", france},
	"HR": {"HR", form(`\d{11}`), "HR33392005961", mod11And10},
	"HU": {"HU", form(`\d{8}`), "HU12892312", hungary},
	"IE": {"IE", form(`\d[A-Z\d+*]\d{5}[A-W][A-I]?`), "IE6433435F", ireland},
	"IT": {"IT", form(`\d{11}`), "IT00743110157", italy},
	"LT": {"LT", form(`(?:\d{9}|\d{12})`), "LT119511515", lithuania},
	"LU": {"LU", form(`\d{8}`), "LU15027442", luxembourg},
	"LV": {"LV", form(`\d{11}`), "LV40003521600", latvia},
	"MT": {"MT", form(`\d{8}`), "MT11679112", malta},
	"NL": {"NL", form(`[A-Z\d+*]{9}B[A-Z\d+*]{2}`), "NL004495445B01", netherlands},
	"PL": {"PL", form(`\d{10}`), "PL8567346215", poland},
	"PT": {"PT", form(`\d{9}`), "PT501964843", portugal},
	"RO": {"RO", form(`\d{2,10}`), "RO18547290", romania},
	"SE": {"SE", form(`\d{12}`), "SE556188840401", sweden},
	"SI": {"SI", form(`\d{8}`), "SI50223054", slovenia},
	"SK": {"SK", form(`\d{10}`), "SK2022749619", slovakia},
	"XI": {"GB", form(`(?:\d{9}|\d{12}|GD[0-4]\d{2}|HA[5-9]\d{2})`), "XI980780684", britain},
}

// Union reports whether a country is a member of the European Union for VAT.
//
// Source: Directive 2006/112/EC, Article 5, and the list of members (https://european-union.europa.eu), 2026.
func Union(country string) bool {
	prefix := country
	if country == "GR" {
		prefix = "EL"
	}
	m, ok := members[prefix]
	return ok && m.country == country
}

func form(behindPrefix string) *regexp.Regexp { return regexp.MustCompile(`^` + behindPrefix + `$`) }
