// Package catalog owns the catalogue as code: the plans that a file describes, the changes that lead to these plans,
// and their effect on running subscriptions. It does not own the form of a file (api), plans (plan), nor how a
// subscription is moved to another version (subscribing).
package catalog

import (
	"regexp"

	"perennial/billing/fault"
	"perennial/billing/plan"
)

// Migration says how running subscriptions follow a new version of their plan.
type Migration string

// The migrations. With each but AtPeriodEnd subscriptions keep the version that they were sold.
const (
	Keep        Migration = ""
	Preview     Migration = "preview"    // only shows the effect of moving them
	AtPeriodEnd Migration = "period_end" // moves them at the end of their period
)

// Plan is a plan as the file describes it. Its key recognises it in every environment; an ID adopts a plan that was
// created without the file.
type Plan struct {
	plan.Plan
	// Product is the key of its product in the file; empty: none. Nil: it keeps the product that it has.
	Product *string
	Migrate Migration
}

// MaxPlans bounds the plans of one catalogue.
const MaxPlans = 500

var validKey = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// Check refuses a plan that cannot be in a catalogue: catalog_key_invalid, and the faults of plan.Plan.Validate. The
// fault names the field within the plan.
func (p Plan) Check() error {
	if err := CheckKey(p.Key); err != nil {
		return err
	}
	return p.Validate()
}

// CheckKey refuses a key that no object of a file can have: catalog_key_invalid.
func CheckKey(key string) error {
	if !validKey.MatchString(key) {
		return fault.New(fault.Invalid, "catalog_key_invalid",
			"A key has 1 to 64 lower-case letters, digits, dots, dashes and underscores, and begins with a letter or digit.")
	}
	return nil
}
