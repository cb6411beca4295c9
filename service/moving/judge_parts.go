package moving

import (
	"cmp"
	"fmt"
	"strings"

	"perennial/billing/balance"
	"perennial/billing/country"
	"perennial/billing/customer"
	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/moving"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/text"
	"perennial/internal/id"
	"perennial/service/webhooks"
)

// newMethod sets the payment method of a record. The default is the one of the customer's record.
func (im *importing) newMethod(a *arrival, known *known) (err error) {
	r := *a.record.PaymentMethod
	checked := moving.CheckID("id", im.Source, r.ID)
	if a.customer, err = im.payer(known, r.Customer); err != nil {
		return fault.Joined(checked, err)
	}
	made := id.New(id.PaymentMethod, im.now)
	if r.Default {
		made = cmp.Or(a.customer.PaymentMethodID, a.customer.FirstMethodID())
	}
	if a.method, err = r.Method(made, a.customer, im.now); err != nil || checked != nil {
		return fault.Joined(checked, err)
	}
	if !r.Default && known.tally[a.customer.ID] >= customer.MaxMethods {
		return customer.ErrTooManyMethods.In("customer")
	}
	return im.env.takes(a.customer.WithMethod(a.method))
}

// newGrant sets the credit grant of a record.
func (im *importing) newGrant(a *arrival, known *known) (err error) {
	r := *a.record.CreditGrant
	faults := []error{moving.CheckID("id", im.Source, r.ID)}
	a.customer, err = im.payer(known, r.Customer)
	faults = append(faults, err)
	planIDs, err := im.env.grantPlans(r)
	faults = append(faults, err)
	a.grant, err = r.Grant(id.New(id.CreditGrant, im.now), a.customer.ID, planIDs, im.now)
	if err := fault.Joined(append(faults, err)...); err != nil {
		return err
	}
	if known.tally[tallyOf(a.customer.ID, r.Currency)] >= balance.MaxUsable {
		return balance.ErrTooMany.In("customer")
	}
	return nil
}

// grantPlans returns the ids of a grant's plans. Faults: those of plan, plan_is_add_on, currency_mismatch,
// credit_grant_plans_too_many.
func (e *importEnvironment) grantPlans(r moving.CreditGrant) (ids []string, err error) {
	for i, name := range r.Plans {
		field := fmt.Sprintf("plans[%d]", i)
		p, err := e.plan(field, name, 0)
		switch {
		case err != nil:
			return nil, err
		case p.AddOn:
			return nil, subscription.ErrPlanIsAddOn.In(field)
		case !e.offers(p.ID, r.Currency):
			return nil, fault.InvalidParam(field, "currency_mismatch",
				"No version of the plan is sold in %s, the currency of the grant.", r.Currency)
		}
		ids = append(ids, p.ID)
	}
	return ids, nil
}

// offers reports whether a version of a plan is sold in a currency.
func (e *importEnvironment) offers(planID string, currency money.Currency) bool {
	for version := range e.newest[planID] {
		if p, ok := e.plans[plan.Ref{ID: planID, Version: version + 1}]; ok && p.Offers(currency) {
			return true
		}
	}
	return false
}

// newSettings returns the environment's settings as a record has them, with the names of the fields that change.
func (im *importing) newSettings(r moving.Settings) (*subscription.Settings, []string, error) {
	is, changed, err := r.On(im.env.settings)
	if err != nil {
		return nil, nil, err
	}
	if err = country.CheckNew(im.env.settings.Seller.Country, is.Seller.Country); err != nil {
		err = fault.From(err).In("seller.country")
	}
	return &is, changed, fault.Joined(err, text.Check("seller.name", is.Seller.Name),
		text.Check("seller.address", is.Seller.Address), text.Check("seller.taxId", is.Seller.TaxID),
		text.Check("seller.email", is.Seller.Email))
}

// newEndpoint sets the webhook endpoint of a record.
func (im *importing) newEndpoint(a *arrival) error {
	r := *a.record.Endpoint
	a.endpointID = id.New(id.Endpoint, im.now)
	a.endpoint = webhooks.EndpointForm{
		URL: r.URL, Description: r.Description, Events: r.Events, Shape: cmp.Or(r.PayloadShape, defaultShape),
	}
	err := fault.Joined(moving.CheckID("id", im.Source, r.ID), im.endpoints.CheckEndpoint(im.by, a.endpoint))
	if err == nil && im.env.endpoints >= webhooks.MaxEndpoints {
		err = webhooks.ErrEndpointLimit
	}
	return err
}

// coupons returns the coupons of a record, by their codes. Fault: coupon_not_found.
func (e *importEnvironment) coupons(of []moving.Coupon) (coupons []discount.Coupon, err error) {
	for i, one := range of {
		c := e.codes[strings.ToLower(one.Code)]
		if c == nil {
			return nil, fault.New(fault.NotFound, "coupon_not_found",
				"There is no coupon %.50q. Create it first.", one.Code).In(fmt.Sprintf("coupons[%d].code", i))
		}
		coupons = append(coupons, *c)
	}
	return coupons, nil
}

// planned returns what the scheduled changes of a record lead to. Faults: those of plan.
func (e *importEnvironment) planned(of []moving.ScheduledChange) ([]moving.Planned, error) {
	planned := make([]moving.Planned, len(of))
	for i, c := range of {
		field := fmt.Sprintf("scheduledChanges[%d]", i)
		if c.Plan != "" {
			p, err := e.plan(field+".plan", c.Plan, c.PlanVersion)
			if err != nil {
				return nil, err
			}
			planned[i].Plan = &p
		}
		if c.AddOns != nil {
			chosen, err := e.addOns(field+".addOns", *c.AddOns)
			if err != nil {
				return nil, err
			}
			planned[i].AddOns = &chosen
		}
	}
	return planned, nil
}
