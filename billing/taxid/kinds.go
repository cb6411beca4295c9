package taxid

import "regexp"

// kind describes the tax ids of one type, in capital letters and without what groups them.
type kind struct {
	country string // whose tax authority gives them; empty: the number's prefix says it
	form    *regexp.Regexp
	example string
	digits  func(number string) bool // nil: no check digits are known
	// published: the authority itself publishes the check digits, so that a wrong one is a typing error.
	published bool
}

// kinds are the types of tax ids whose form is known, beside eu_vat. The names are Stripe's, where it has one
// (https://docs.stripe.com/billing/customer/tax-ids).
var kinds = map[string]kind{
	// HM Revenue & Customs, "VAT guide (Notice 700)", and the check digits of python-stdnum, gb.vat.
	"gb_vat": {country: "GB", form: form(`(?:GB)?(?:\d{9}|\d{12}|GD[0-4]\d{2}|HA[5-9]\d{2})`), example: "GB980780684", digits: britain},
	// Brønnøysund Register Centre, "Organisasjonsnummeret" (https://www.brreg.no): weights, modulus 11. MVA: is
	// registered.
	"no_vat": {
		country: "NO", form: form(`(?:NO)?\d{9}(?:MVA)?`), example: "974760673MVA", digits: norway, published: true,
	},
	// Federal Statistical Office, UID (https://www.bfs.admin.ch), and eCH-0097: modulus 11. The suffix: is
	// registered.
	"ch_vat": {
		country: "CH", form: form(`CHE\d{9}(?:MWST|TVA|IVA)?`), example: "CHE-107.787.577 MWST", digits: switzerland,
		published: true,
	},
	// Australian Business Register, "Format of the ABN" (https://abr.business.gov.au/Help/AbnFormat): modulus 89.
	"au_abn": {country: "AU", form: form(`\d{11}`), example: "51 824 753 556", digits: australia, published: true},
	// Inland Revenue, "Resident withholding tax and non-resident withholding tax specification", IRD number
	// validation.
	"nz_gst": {country: "NZ", form: form(`\d{8,9}`), example: "49-091-850", digits: newZealand, published: true},
	// GST Network, "Structure of GSTIN" (https://www.gst.gov.in); the check character is that of python-stdnum,
	// in_.gstin.
	"in_gst": {
		country: "IN", form: form(`\d{2}[A-Z]{5}\d{4}[A-Z][1-9A-Z][A-Z][A-Z\d]`), example: "27AAPFU0939F1ZV", digits: india,
	},
	// South African Revenue Service, "VAT 404: guide for vendors": ten digits, the first is 4.
	"za_vat": {country: "ZA", form: form(`4\d{9}`), example: "4123456789"},
	// Kenya Revenue Authority, "PIN": A for persons or P for others, nine digits and a letter.
	"ke_pin": {country: "KE", form: form(`[AP]\d{9}[A-Z]`), example: "P051234567A"},
	// Federal Inland Revenue Service (8 and 4 digits), Joint Tax Board (10), and the Tax ID of 2026 (13).
	"ng_tin": {country: "NG", form: form(`(?:\d{12}|\d{10}|\d{13})`), example: "01234567-0001"},
	// Directorate General of Taxation of Cameroon, NIU: a letter, twelve digits and a letter.
	"cm_niu": {country: "CM", form: form(`[A-Z]\d{12}[A-Z]`), example: "M012345678901A"},
	// Uganda Revenue Authority: ten digits.
	"ug_tin": {country: "UG", form: form(`\d{10}`), example: "1001234567"},
	// Internal Revenue Service, "How EINs are assigned and valid EIN prefixes" (https://www.irs.gov).
	"us_ein": {country: "US", form: form(`\d{9}`), example: "12-3456789", digits: unitedStates},
	// Canada Revenue Agency, "Business number": nine digits, and the program account RT with four.
	"ca_gst_hst": {country: "CA", form: form(`\d{9}(?:RT\d{4})?`), example: "123456782RT0001", digits: canada},
}
