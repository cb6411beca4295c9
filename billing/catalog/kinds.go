package catalog

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"perennial/billing/discount"
	"perennial/billing/plan"
	"perennial/billing/tax"
	"perennial/billing/usage"
)

var productRules = rules[plan.Product]{
	kind: ProductKind, retires: "active",
	active: func(p plan.Product) bool { return p.Active },
	retired: func(p plan.Product) plan.Product {
		p.Active = false
		return p
	},
	merged: func(was, want plan.Product) (plan.Product, []string, string) {
		to := want
		to.ID, to.CreatedAt = was.ID, was.CreatedAt
		return to, changed(
			field{"name", was.Name != to.Name}, field{"description", was.Description != to.Description},
			field{"taxCategory", was.TaxCategory != to.TaxCategory}, field{"active", was.Active != to.Active},
			field{"metadata", !was.Metadata.Same(to.Metadata)},
		), ""
	},
}

var taxRateRules = rules[tax.Definition]{
	kind: TaxRateKind, retires: "archived",
	active:  func(d tax.Definition) bool { return d.ArchivedAt.IsZero() },
	retired: archivedRate,
	merged: func(was, want tax.Definition) (tax.Definition, []string, string) {
		to := was
		to.Name = want.Name
		if to.ArchivedAt.IsZero() != want.ArchivedAt.IsZero() {
			to.ArchivedAt = want.ArchivedAt
		}
		return to, changed(
			field{"name", was.Name != to.Name}, field{"archived", was.ArchivedAt.IsZero() != to.ArchivedAt.IsZero()},
		), RateDiffers(was, want)
	},
}

// RateDiffers returns the first of the fields of a tax rate that never change in which two of them differ; empty: none.
func RateDiffers(was, want tax.Definition) string {
	return fixed(
		field{"percent", was.Percent.Cmp(want.Percent) != 0}, field{"inclusive", was.Inclusive != want.Inclusive},
		field{"taxCategory", was.Category != want.Category}, field{"country", was.Country != want.Country},
		field{"region", was.Region != want.Region}, field{"validFrom", !was.ValidFrom.Equal(want.ValidFrom)},
		field{"validUntil", !was.ValidUntil.Equal(want.ValidUntil)}, field{"stacks", was.Stacks != want.Stacks},
	)
}

// ArchivedAtApply marks a tax rate of a file as archived. The time is that of the change.
var ArchivedAtApply = time.Unix(1, 0).UTC()

func archivedRate(d tax.Definition) tax.Definition {
	d.ArchivedAt = ArchivedAtApply
	return d
}

var metricRules = rules[usage.Metric]{
	kind: MetricKind, retires: "active",
	active:  func(m usage.Metric) bool { return m.Active },
	natural: func(m usage.Metric) string { return m.Name },
	retired: func(m usage.Metric) usage.Metric {
		m.Active = false
		return m
	},
	merged: func(was, want usage.Metric) (usage.Metric, []string, string) {
		to := was
		to.DisplayName, to.Active, to.Definition = want.DisplayName, want.Active, want.Definition
		return to, changed(
			field{"displayName", was.DisplayName != to.DisplayName}, field{"active", was.Active != to.Active},
			field{"definition", !SameJSON(was.Definition, to.Definition)},
		), ""
	},
}

var couponRules = rules[discount.Coupon]{
	kind: CouponKind, retires: "active",
	active:  func(c discount.Coupon) bool { return c.Active },
	natural: func(c discount.Coupon) string { return strings.ToLower(c.Code) },
	retired: func(c discount.Coupon) discount.Coupon {
		c.Active = false
		return c
	},
	merged: func(was, want discount.Coupon) (discount.Coupon, []string, string) {
		to := was
		to.Name, to.Active, to.RedeemBy = want.Name, want.Active, want.RedeemBy
		return to, changed(
				field{"name", was.Name != to.Name}, field{"active", was.Active != to.Active},
				field{"redeemBy", !was.RedeemBy.Equal(to.RedeemBy)},
			), fixed(
				field{"percent", was.Percent.Cmp(want.Percent) != 0}, field{"amount", was.Amount != want.Amount},
				field{"currency", was.Currency != want.Currency}, field{"duration", was.Duration != want.Duration},
				field{"periods", was.Periods != want.Periods}, field{"maxRedemptions", was.MaxRedemptions != want.MaxRedemptions},
				field{"plans", !sameSet(was.PlanIDs, want.PlanIDs)},
			)
	},
}

// ItemChanges are the changes of a file's objects beside its plans, in the order in which they are made.
type ItemChanges struct {
	Products []ItemChange[plan.Product]
	TaxRates []ItemChange[tax.Definition]
	Metrics  []ItemChange[usage.Metric]
	Coupons  []ItemChange[discount.Coupon]
}

// DiffItems compares the objects of a file with the existing ones, as Diff does for plans; the coupons of both have the
// ids of plans. Where allowArchive is not set, it refuses a file that archives more than half of a kind. Faults, each
// in a SectionError: catalog_item_not_found, catalog_item_fixed, catalog_item_repeated, catalog_archives_most.
func DiffItems(held, want Items, allowArchive bool) (c ItemChanges, err error) {
	if c.Products, err = productRules.changes(held.Products, want.Products, allowArchive); err != nil {
		return c, err
	}
	if c.TaxRates, err = taxRateRules.changes(held.TaxRates, want.TaxRates, allowArchive); err != nil {
		return c, err
	}
	if c.Metrics, err = metricRules.changes(held.Metrics, want.Metrics, allowArchive); err != nil {
		return c, err
	}
	c.Coupons, err = couponRules.changes(held.Coupons, want.Coupons, allowArchive)
	return c, err
}

func (r rules[T]) changes(held, want []Item[T], allowArchive bool) ([]ItemChange[T], error) {
	changes, err := r.diff(held, want)
	if err == nil && !allowArchive {
		err = r.checkArchived(held, changes)
	}
	return changes, err
}

// SameJSON reports whether two values are the same in JSON.
func SameJSON(a, b any) bool {
	one, err := json.Marshal(a)
	other, wrong := json.Marshal(b)
	return err == nil && wrong == nil && string(one) == string(other)
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
