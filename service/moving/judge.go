package moving

import (
	"bytes"
	"cmp"
	"slices"

	"perennial/billing/balance"
	"perennial/billing/customer"
	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/moving"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/tax"
	"perennial/billing/usage"
	"perennial/internal/id"
	"perennial/service/movefile"
	"perennial/service/webhooks"
)

// arrival is a new record with the objects that it leads to.
type arrival struct {
	record       movefile.Record
	customer     customer.Customer // new, or the one that the record names
	subscription subscription.Subscription
	plan         plan.Plan
	pending      *plan.Plan
	addOns       []plan.Plan // of the subscription, as lifecycle.State has them
	scheduled    []plan.Plan // of the subscription, as lifecycle.State has them
	method       customer.Method
	grant        balance.Grant
	settings     *subscription.Settings // of the environment from then on; nil: of another record
	changed      []string               // fields of settings that the record changes
	endpoint     webhooks.EndpointForm
	endpointID   string
	product      plan.Product
	rate         tax.Definition
	metric       usage.Metric // a version
	coupon       discount.Coupon
}

// judge decides about a record before any of its writes, so that a refused record does not undo the others of its
// batch. Faults: import_record_changed, import_record_erased, import_customer_unknown, import_id_invalid, those of the
// record's type.
func (im *importing) judge(r movefile.Record, known *known) (arrival, ImportOutcome, error) {
	a := arrival{record: r}
	switch {
	case r.Refused != nil:
		return a, RecordRefused, r.Refused
	case r.LeftOut != "":
		return a, RecordLeftOut, nil
	}
	if here, ok := known.here(r); ok {
		if here.erased {
			return a, RecordRefused, moving.ErrErased
		}
		return a, RecordPresent, nil
	}
	if im.env.sells(r) {
		outcome, err := im.newSold(&a)
		return a, outcome, err
	}
	if was, ok := known.records[r.ID]; ok {
		switch {
		case was.Hash == nil:
			return a, RecordRefused, moving.ErrErased
		case !bytes.Equal(was.Hash, r.Hash[:]):
			return a, RecordRefused, moving.ErrChanged
		}
		return a, RecordPresent, nil
	}
	var err error
	switch r.Type {
	case moving.ProductType, moving.TaxRateType, moving.MetricType, moving.PlanType, moving.CouponType:
		outcome, err := im.newSold(&a)
		return a, outcome, err
	case moving.CustomerType:
		a.customer, err = im.newCustomer(*r.Customer)
	case moving.BalanceType:
		if a.customer, err = im.payer(known, r.Balance.Customer); err == nil {
			err = r.Balance.Check()
		}
	case moving.SubscriptionType:
		err = im.newSubscription(&a, known)
	case moving.PaymentMethodType:
		err = im.newMethod(&a, known)
	case moving.CreditGrantType:
		err = im.newGrant(&a, known)
	case moving.SettingsType:
		a.settings, a.changed, err = im.newSettings(*r.Settings)
	case moving.EndpointType:
		err = im.newEndpoint(&a)
	default:
		err = r.Refused
	}
	return a, RecordImported, err
}

// payer returns the customer that a record names. Faults: import_customer_unknown, import_record_erased,
// import_customer_refused, import_customer_on_test_clock.
func (im *importing) payer(known *known, reference string) (customer.Customer, error) {
	c, ok := known.customers[reference]
	switch {
	case ok && !c.ErasedAt.IsZero():
		return c, moving.ErrErased.In("customer")
	case im.refused[reference]: // also where a customer exists: it may be another one
		return c, moving.ErrCustomerRefused
	case !ok:
		return c, moving.ErrCustomerUnknown
	case c.TestClockID != "":
		return c, moving.ErrOnTestClock
	}
	return c, nil
}

// newCustomer returns the customer of a record, with the checks of the API.
func (im *importing) newCustomer(r moving.Customer) (customer.Customer, error) {
	c := customer.Customer{
		ID: id.New(id.Customer, im.now), Revision: 1, Email: r.Email, Name: r.Name, Phone: r.Phone, Address: r.Postal(),
		Country: r.Country, Region: r.Region, Locale: r.Locale, TimeZone: r.TimeZone,
		TaxExempt: r.TaxExempt, TaxIDs: r.TaxIDs, Metadata: r.Metadata, PaymentMethod: r.PaymentMethod,
		PaymentDetails: customer.PaymentDetails(r.Details()), CreatedAt: cmp.Or(r.CreatedAt.Time, im.now),
	}
	var unpaid, wrong error
	c.Dunning, c.OverduePolicy, unpaid = r.Policies()
	c.Features, wrong = r.Overrides()
	if err := fault.Joined(moving.CheckID("id", im.Source, r.ID), r.Check(im.now),
		c.Check(), c.CheckNew(customer.Customer{}), unpaid, wrong); err != nil {
		return c, err
	}
	if !c.CanPay() {
		return c, nil
	}
	return c, im.env.takes(c)
}

// newSubscription sets the subscription of a record, and the facts that decide about it.
func (im *importing) newSubscription(a *arrival, known *known) (err error) {
	r := *a.record.Subscription
	faults := []error{moving.CheckID("id", im.Source, r.ID), moving.CheckPairs(r.Metadata)}
	found := func(err error) { faults = append(faults, err) }
	a.customer, err = im.payer(known, r.Customer)
	found(err)
	a.plan, err = im.env.plan("plan", r.Plan, r.PlanVersion)
	found(err)
	if r.PendingPlan != "" {
		next, err := im.env.plan("pendingPlan", r.PendingPlan, r.PendingPlanVersion)
		found(err)
		a.pending = &next
	}
	setting := moving.Setting{
		ID: id.New(id.Subscription, im.now), CustomerID: a.customer.ID, Plan: a.plan, Pending: a.pending,
		Settings: im.env.settings, Now: im.now,
		ItemID: func(s subscription.Subscription, priceID string) string {
			return lifecycle.ItemID(id.Source{}, s, priceID)
		},
		ChangeID: func() string { return id.New(id.ScheduledChange, im.now) },
	}
	setting.AddOns, err = im.env.addOns("addOns", r.AddOns)
	found(err)
	if r.PendingAddOns != nil {
		next, err := im.env.addOns("pendingAddOns", *r.PendingAddOns)
		found(err)
		setting.PendingAddOns = &next
	}
	setting.PaymentMethodID, err = known.method(r.PaymentMethod, a.customer)
	found(err)
	setting.Coupons, err = im.env.coupons(r.Coupons)
	found(err)
	setting.Planned, err = im.env.planned(r.ScheduledChanges)
	found(err)
	if err := fault.Joined(faults...); err != nil {
		return err
	}
	if setting, err = setting.In(r.Currency); err != nil {
		return err
	}
	a.plan, a.pending = setting.Plan, setting.Pending
	if a.subscription, err = r.Begin(setting); err != nil {
		return err
	}
	sold := slices.Concat(setting.Known(), setting.Scheduled())
	a.scheduled, err = lifecycle.Versions(a.subscription.ScheduledRefs(), func(r plan.Ref) (plan.Plan, error) {
		return lifecycle.Known(sold, r)
	})
	if err != nil {
		return err
	}
	a.addOns, err = lifecycle.Versions(a.subscription.AddOnRefs(), func(r plan.Ref) (plan.Plan, error) {
		return lifecycle.Known(sold, r)
	})
	if err != nil || !setting.Bills(a.subscription).AsksMethod() {
		return err
	}
	return im.env.renews(a.customer, a.plan.Currency)
}
