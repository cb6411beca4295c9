package moving

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"perennial/billing/customer"
	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/moving"
	"perennial/billing/paymethod"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/tax"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/service/customers"
	"perennial/service/gateway"
)

// importEnvironment has the environment's data of an import. It is read once, because a query for each record would
// take longer than the record.
type importEnvironment struct {
	settings subscription.Settings
	accounts []db.ProviderConfig
	primary  *lifecycle.Provider
	rates    []tax.Definition
	plans    map[plan.Ref]plan.Plan // all versions
	newest   map[string]int         // by id of the plan
	keys     map[string]string      // ids of plans, by their keys in a catalogue file
	called   map[string][]string    // ids of plans, by name
	// codes has the coupons that records have named so far, by their codes in lower case; nil: there is none.
	codes     map[string]*discount.Coupon
	endpoints int // webhook endpoints
	sold      soldHere
}

// importEnvironment reads the environment's data.
func (s *Service) importEnvironment(ctx context.Context, environmentID, source string) (*importEnvironment, error) {
	e := &importEnvironment{
		plans: map[plan.Ref]plan.Plan{}, newest: map[string]int{}, keys: map[string]string{}, called: map[string][]string{},
		codes: map[string]*discount.Coupon{},
	}
	environment, err := s.Store.Tenancy.Environment(ctx, environmentID)
	if err != nil {
		return nil, err
	}
	e.settings = environment.Settings
	if e.accounts, err = s.Store.Payments.ProviderConfigs(ctx, environmentID); err != nil {
		return nil, err
	}
	for _, a := range e.accounts {
		if a.Primary {
			e.primary = &lifecycle.Provider{Name: a.Provider, ConfigID: a.ID}
		}
	}
	if e.endpoints, err = s.Store.Webhooks.EndpointCount(ctx, environmentID); err != nil {
		return nil, err
	}
	if e.sold, err = s.soldHere(ctx, environmentID, source); err != nil {
		return nil, err
	}
	for _, rate := range e.sold.rates {
		if rate.ArchivedAt.IsZero() {
			e.rates = append(e.rates, rate)
		}
	}
	slices.SortFunc(e.rates, func(a, b tax.Definition) int { return strings.Compare(a.ID, b.ID) })
	return e, s.Store.Export(ctx, environmentID, func(all *db.Snapshot) error {
		return all.Plans(ctx, func(p db.SoldPlan) error { e.addPlan(p.Plan); return nil })
	})
}

func (e *importEnvironment) addPlan(p plan.Plan) {
	e.plans[p.Ref()] = p
	e.newest[p.ID] = max(e.newest[p.ID], p.Version)
	if p.Version > 1 {
		return
	}
	e.called[p.Name] = append(e.called[p.Name], p.ID)
	if p.Key != "" {
		e.keys[p.Key] = p.ID
	}
}

// plan returns the plan with a record's name, in a version; 0: the newest. It may be archived, since its subscriptions
// continue. Faults: import_plan_unknown, import_plan_ambiguous, import_plan_version_unknown.
func (e *importEnvironment) plan(field, name string, version int) (plan.Plan, error) {
	planID := name
	if keyed, ok := e.keys[name]; ok {
		planID = keyed
	} else if imported, ok := e.sold.plans[name]; ok {
		planID = imported
	} else if !id.Is(id.Plan, name) {
		switch ids := e.called[name]; len(ids) {
		case 0:
			return plan.Plan{}, moving.ErrPlanUnknown.In(field)
		case 1:
			planID = ids[0]
		default:
			return plan.Plan{}, moving.ErrPlanAmbiguous.In(field)
		}
	}
	newest, ok := e.newest[planID]
	if !ok {
		return plan.Plan{}, moving.ErrPlanUnknown.In(field)
	}
	if version == 0 {
		version = newest
	}
	p, ok := e.plans[plan.Ref{ID: planID, Version: version}]
	if !ok {
		return p, moving.ErrVersionUnknown.In(field + "Version")
	}
	return p, nil
}

// addOns returns the add-ons with a record's names. Faults: those of plan.
func (e *importEnvironment) addOns(field string, of []moving.AddOn) ([]subscription.Chosen, error) {
	chosen := make([]subscription.Chosen, len(of))
	for i, a := range of {
		p, err := e.plan(fmt.Sprintf("%s[%d].plan", field, i), a.Plan, a.PlanVersion)
		if err != nil {
			return nil, err
		}
		chosen[i] = subscription.Chosen{AddOn: p, Quantity: a.Quantity}
	}
	return chosen, nil
}

// supports returns the accounts' support of a method, without requests to the accounts.
func (e *importEnvironment) supports(c customer.Customer) ([]paymethod.Support, error) {
	return customers.SupportsBy(e.accounts, c,
		func(a db.ProviderConfig, m providers.Method) (paymethod.Support, error) {
			return gateway.SupportsAnywhere(a.Provider, m), nil
		})
}

// takes refuses a payment method that no account takes. Faults: those of checkMethodTaken.
func (e *importEnvironment) takes(c customer.Customer) error {
	found, err := e.supports(c)
	if err != nil {
		return err
	}
	return paymethod.Check(c.PaymentMethod, found)
}

// renews refuses a subscription that the customer's method could never pay for. Faults: those of
// customers.CheckRenewable.
func (e *importEnvironment) renews(c customer.Customer, currency money.Currency) error {
	if !c.CanPay() {
		return nil
	}
	found, err := e.supports(c)
	return customers.Renewable(found, err, c, currency, "customer")
}

// uncollectable returns why no invoice of a customer can be collected; empty: no known reason.
func (e *importEnvironment) uncollectable(c customer.Customer) (string, error) {
	if !c.CanPay() {
		return "the customer has no payment method", nil
	}
	found, err := e.supports(c)
	if err != nil || paymethod.Accepted(found) {
		return "", err
	}
	return "no provider account takes the payment method", nil
}

// state returns the state that the rules read of an imported subscription.
func (e *importEnvironment) state(a arrival, balance money.Minor) lifecycle.State {
	s := lifecycle.State{
		Subscription: a.subscription, Customer: a.customer, Balance: balance, Plan: a.plan, PendingPlan: a.pending,
		AddOns: a.addOns, Scheduled: a.scheduled, Settings: e.settings,
	}
	for _, r := range e.rates {
		if r.Country == "" || r.Country == a.customer.Country {
			s.TaxRates = append(s.TaxRates, r)
		}
	}
	if e.primary != nil {
		provider := *e.primary
		name := provider.Name
		if given := a.customer.PaymentDetails.Provider; given != "" {
			name = given
		}
		provider.Limits = gateway.Limits(name, a.plan.Currency)
		s.Provider = &provider
	}
	return s
}

// wouldBill returns an internal fault: the period of an imported subscription was paid elsewhere.
func wouldBill(a arrival) error {
	return fault.New(fault.Internal, "internal", "The request failed with a server error.").Because(
		fmt.Errorf("service: the import of %s would bill the period that was paid elsewhere", a.record.ID))
}
