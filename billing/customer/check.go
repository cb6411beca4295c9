package customer

import (
	"fmt"
	"net/mail"
	"strings"
	"unicode"

	"perennial/billing/cardnumber"
	"perennial/billing/country"
	"perennial/billing/fault"
	"perennial/billing/period"
	"perennial/billing/tax"
	"perennial/billing/text"
	"perennial/internal/hostname"
	"perennial/internal/locale"
)

// Check validates a new or changed customer, but for what CheckNew validates. It returns all faults at once, so that a
// user corrects a form in one go. Faults: field_missing, email_malformed, phone_malformed, locale_malformed,
// card_number_refused, those of text, postal, period.LoadLocation, metadata, dunning.Policy, overdue.Policy and
// plan.FeatureOverrides.
func (c Customer) Check() error {
	if c.Email == "" && c.Phone == "" && c.PaymentDetails.PhoneNumber == "" {
		return fault.InvalidParam("email", "field_missing",
			"The customer has no contact. Send `email`, `phone` or `paymentDetails.phoneNumber`.")
	}
	return fault.Joined(
		text.UnlessEmpty(c.Email, CheckEmail),
		text.UnlessEmpty(c.Phone, func(s string) error { return checkPhone("phone", s) }),
		c.checkTaxes(),
		c.Address.Check(), text.UnlessEmpty(c.Locale, checkLocale), text.UnlessEmpty(c.TimeZone, checkTimeZone),
		text.Check("name", c.Name), checkTaxIDs(c.TaxIDs), c.Metadata.Check(), c.checkMethod(), c.checkDunning(), c.checkOverdue(),
		c.Features.Check())
}

// CheckNew refuses an unknown country and malformed tax ids that the customer did not have. Stored ones may be older
// than the checks, and a change of another field must not fail because of them. was is zero for a new customer. Faults:
// those of country.Check and tax.IDs.CheckNew.
func (c Customer) CheckNew(was Customer) error {
	return fault.Joined(country.CheckNew(was.Country, c.Country), c.TaxIDs.CheckNew(was.TaxIDs))
}

// checkLocale accepts a language tag in the canonical form of RFC 5646, so that apps can compare it. Fault:
// locale_malformed.
func checkLocale(s string) error {
	canonical, ok := locale.Canonical(s)
	switch {
	case !ok:
		return fault.InvalidParam("locale", "locale_malformed",
			"`locale` is not a language tag of BCP 47. Send a language, with its region where that matters, such as pt-BR.")
	case canonical != s:
		return fault.InvalidParam("locale", "locale_malformed",
			"`locale` must be written %s. Send it so.", canonical)
	}
	return nil
}

func checkTimeZone(s string) error {
	_, err := period.LoadLocation(s)
	return err
}

func (c Customer) checkDunning() error {
	if c.Dunning == nil {
		return nil
	}
	return c.Dunning.Validate()
}

func (c Customer) checkOverdue() error {
	if c.OverduePolicy == nil {
		return nil
	}
	return c.OverduePolicy.Validate()
}

// checkTaxes validates the fields that decide the taxes. Faults: region_needs_country, those of package tax.
func (c Customer) checkTaxes() error {
	if c.Region != "" && c.Country == "" {
		return fault.InvalidParam("region", "region_needs_country", "A `region` requires its `country`. Send both.")
	}
	return fault.Joined(tax.CheckRegion(c.Region), c.TaxExempt.Validate(), c.TaxIDs.Validate())
}

func (c Customer) checkMethod() error {
	d := c.PaymentDetails
	if d.PhoneNumber != "" {
		if err := checkPhone("paymentDetails.phoneNumber", d.PhoneNumber); err != nil {
			return err
		}
	}
	for param, token := range map[string]string{
		"paymentDetails.customerToken": d.CustomerToken, "paymentDetails.paymentMethodToken": d.PaymentMethodToken,
	} {
		if isCardNumber(token) {
			return fault.InvalidParam(param, "card_number_refused",
				"The field contains a card number. Send the token from your payment provider instead.")
		}
	}
	switch {
	case c.PaymentMethod == "" && d != (PaymentDetails{}):
		return fault.InvalidParam("paymentMethod", "field_missing",
			"`paymentDetails` requires `paymentMethod`. Send both, or neither.")
	case c.PaymentMethod == "card" && d.PaymentMethodToken == "":
		return fault.InvalidParam("paymentDetails.paymentMethodToken", "field_missing",
			"The card's token is missing. Send the token from your payment provider.")
	case strings.HasPrefix(c.PaymentMethod, MobileMoney) && d.PhoneNumber == "":
		return fault.InvalidParam("paymentDetails.phoneNumber", "field_missing",
			"The phone number for mobile money is missing. Send `paymentDetails.phoneNumber`.")
	}
	return nil
}

// isCardNumber reports whether s has 13 to 19 digits, in any grouping, with a right check digit. Provider tokens look
// different. A stored card number would put the whole installation under the card industry's rules.
func isCardNumber(s string) bool {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(s)
	return len(digits) >= 13 && len(digits) <= 19 && strings.Trim(digits, "0123456789") == "" && cardnumber.Luhn(digits)
}

// CheckEmail accepts one bare address of a public domain. With a name around it ("Ada <ada@example.com>"), a search by
// address would not find it. Fault: email_malformed.
func CheckEmail(s string) error {
	address, err := mail.ParseAddress(s)
	local, domain, _ := cutLast(s, "@")
	ascii, ok := hostname.ToASCII(domain)
	switch {
	case err != nil || address.Address != s || len(s) > 254 || len(local) > 64,
		!ok || !strings.Contains(ascii, ".") || strings.HasSuffix(domain, "."), // a@b cannot be delivered
		text.Breaks(s) || text.Directs(s) || strings.ContainsFunc(s, invisible):
		return fault.InvalidParam("email", "email_malformed",
			"The email address is malformed. Send an address of the form name@example.com.")
	}
	return nil
}

func cutLast(s, separator string) (before, after string, found bool) {
	at := strings.LastIndex(s, separator)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(separator):], true
}

// invisible reports whether a character shows nothing: two different addresses could look the same.
func invisible(r rune) bool { return text.Blank(string(r)) && !unicode.In(r, unicode.M) }

// checkPhone accepts the international format (E.164). Providers require it, and a national number means another person
// in another country. Fault: phone_malformed.
func checkPhone(param, s string) error {
	digits, ok := strings.CutPrefix(s, "+")
	if !ok || len(digits) < 7 || len(digits) > 15 || digits[0] == '0' || strings.Trim(digits, "0123456789") != "" {
		return fault.InvalidParam(param, "phone_malformed",
			"The phone number is malformed. Send it in international format, as in +237670000001.")
	}
	return nil
}

// checkTaxIDs refuses ids with forbidden text, such as a card number or a line break of an invoice.
func checkTaxIDs(ids tax.IDs) error {
	var all []error
	for i, id := range ids {
		at := fmt.Sprintf("taxIds[%d].", i)
		all = append(all, text.Check(at+"type", id.Type), text.Check(at+"value", id.Value))
	}
	return fault.Joined(all...)
}
