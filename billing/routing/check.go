package routing

import (
	"fmt"
	"regexp"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// MaxRules bounds the rules of an environment: each charge looks at all of them.
const MaxRules = 100

var (
	countryForm = regexp.MustCompile(`^[A-Z]{2}$`)
	methodForm  = regexp.MustCompile(`^(\*|[a-z0-9_]{1,60}\*?)$`)
)

// Check returns the fault of an app's rules, with the field ("rules[2].country"), or nil.
func Check(rules []Rule) error {
	if len(rules) > MaxRules {
		return fault.InvalidParam("rules", "rule_limit",
			"At most %d rules are possible, and these are %d.", MaxRules, len(rules))
	}
	for i, r := range rules {
		if err := r.check(func(field string) string { return fmt.Sprintf("rules[%d].%s", i, field) }); err != nil {
			return err
		}
	}
	return nil
}

// unknownCountry is a code that ISO 3166-1 leaves to its users, and that CLDR uses for an unknown country.
const unknownCountry = "ZZ"

// CheckCountry accepts the form of an ISO 3166-1 alpha-2 code. Faults: country_malformed, country_unknown.
func CheckCountry(code string) error {
	if code == unknownCountry {
		return fault.InvalidParam("country", "country_unknown",
			"ZZ stands for a country that is not known. Send the code of a country, or leave the field out.")
	}
	if !countryForm.MatchString(code) {
		return fault.InvalidParam("country", "country_malformed",
			"The country code is malformed. Send two capital letters of ISO 3166-1, such as CM.")
	}
	return nil
}

func (r Rule) check(param func(field string) string) error {
	if r.Country != "" {
		if err := CheckCountry(r.Country); err != nil {
			return fault.From(err).In(param("country"))
		}
	}
	if r.Currency != "" {
		if _, err := money.ParseCurrency(string(r.Currency)); err != nil {
			f := fault.From(err)
			return fault.InvalidParam(param("currency"), f.Code, "%s", f.Detail)
		}
	}
	switch {
	case r.Method != "" && !methodForm.MatchString(r.Method):
		return fault.InvalidParam(param("method"), "method_malformed",
			"%q is no payment method. Send its name, such as card, or how names begin and a star, as in mobile*.", r.Method)
	case r.MinAmount < 0:
		return fault.InvalidParam(param("minAmount"), "amount_negative", "`minAmount` must not be negative.")
	case r.MaxAmount < 0:
		return fault.InvalidParam(param("maxAmount"), "amount_negative", "`maxAmount` must not be negative.")
	case r.Currency == "" && (r.MinAmount > 0 || r.MaxAmount > 0):
		return fault.InvalidParam(param("currency"), "field_missing", "A rule with an amount requires `currency`.")
	case r.MaxAmount > 0 && r.MaxAmount < r.MinAmount:
		return fault.InvalidParam(param("maxAmount"), "range_empty", "`maxAmount` must not be below `minAmount`.")
	case r.AccountID == "":
		return fault.InvalidParam(param("providerConfigId"), "field_missing", "A rule requires the field `providerConfigId`.")
	}
	return nil
}
