package routing

import (
	"fmt"
	"regexp"

	"perennial/billing/country"
	"perennial/billing/fault"
	"perennial/billing/money"
)

// MaxRules bounds the rules of an environment: each charge looks at all of them.
const MaxRules = 100

var methodForm = regexp.MustCompile(`^(\*|[a-z0-9_]{1,60}\*?)$`)

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

func (r Rule) check(param func(field string) string) error {
	if r.Country != "" {
		if err := country.Check(r.Country); err != nil {
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
