package customers

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"perennial/billing/audit"
	"perennial/billing/customer"
	"perennial/billing/dunning"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/overdue"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/postal"
	"perennial/billing/subscription"
	"perennial/billing/tax"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// CreateCustomer stores c with a new id and dates. On a test clock it begins at the clock's time.
func (s *Service) CreateCustomer(
	ctx context.Context, by usecase.Caller, c customer.Customer, also usecase.Also[customer.Customer],
) (customer.Customer, error) {
	if err := fault.Joined(c.Check(), c.CheckNew(customer.Customer{})); err != nil {
		return c, err
	}
	if c.TestClockID != "" {
		if err := by.TestModeOnly("testClockId"); err != nil {
			return c, err
		}
	}
	if err := s.checkMethodTaken(ctx, s.Store.Reader, by.EnvironmentID, c, true); err != nil {
		return c, err
	}
	// Real time, also on a test clock: ids sort by creation, and a clock may be in any year.
	c.ID, c.Revision = id.New(id.Customer, s.Now()), 1
	if c.PaymentMethod != "" {
		c.PaymentMethodID = c.FirstMethodID()
	}
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (customer.Customer, error) {
		var err error
		if c.CreatedAt, err = usecase.LockClock(ctx, tx, by.EnvironmentID, c.TestClockID, s.Now()); err != nil {
			return c, usecase.InParam(err, "testClockId")
		}
		if err := checkFeatures(ctx, tx, by, c, nil); err != nil {
			return c, err
		}
		if err := tx.Customers.Insert(ctx, by.EnvironmentID, c); err != nil {
			return c, err
		}
		return c, tx.Emit(ctx, by.EnvironmentID, event.New(event.CustomerCreated{ID: c.ID}, c.CreatedAt))
	})
}

// CustomerUpdate changes the fields that are not nil. PaymentMethod and PaymentDetails belong together: either replaces
// all details; details alone keep the method. A mix of old and new details would name a payer who does not exist.
type CustomerUpdate struct {
	Email, Name, Phone *string
	Address            *postal.Address // replaces all
	Country, Region    *string
	Locale, TimeZone   *string
	TaxExempt          *tax.Exemption
	TaxIDs             *tax.IDs        // replaces all
	Metadata           *metadata.Pairs // replaces all
	PaymentMethod      *string
	PaymentDetails     *customer.PaymentDetails
	Features           *plan.FeatureOverrides // replaces all
	Dunning            *Dunning
	Overdue            *Overdue
}

// Dunning is a customer's policy; nil: none, and the plan's or the environment's applies.
type Dunning struct{ Policy *dunning.Policy }

// Overdue is a customer's overdue policy; nil: none, and the environment's applies.
type Overdue struct{ Policy *overdue.Policy }

// apply changes c and returns the names of the changed fields. Events carry only names, no personal data.
func (u CustomerUpdate) apply(
	c *customer.Customer, newMethodID func() string,
) (changed []string, methodChanged bool) {
	text := func(name string, to *string, field *string) {
		if to != nil && *to != *field {
			*field, changed = *to, append(changed, name)
		}
	}
	moved := u.Country != nil && *u.Country != c.Country
	text("email", u.Email, &c.Email)
	text("name", u.Name, &c.Name)
	text("phone", u.Phone, &c.Phone)
	if u.Address != nil && *u.Address != c.Address {
		c.Address, changed = *u.Address, append(changed, "address")
	}
	text("country", u.Country, &c.Country)
	region := u.Region
	if region == nil && moved { // a region belongs to its country
		region = new(string)
	}
	text("region", region, &c.Region)
	text("locale", u.Locale, &c.Locale)
	text("timeZone", u.TimeZone, &c.TimeZone)
	if u.TaxExempt != nil && *u.TaxExempt != c.TaxExempt {
		c.TaxExempt, changed = *u.TaxExempt, append(changed, "taxExempt")
	}
	if u.TaxIDs != nil {
		if ids := u.TaxIDs.Following(c.TaxIDs); !ids.Equal(c.TaxIDs) {
			c.TaxIDs, changed = ids, append(changed, "taxIds")
		}
	}
	if u.Metadata != nil && !maps.Equal(*u.Metadata, c.Metadata) {
		c.Metadata, changed = *u.Metadata, append(changed, "metadata")
	}
	if u.Features != nil && !reflect.DeepEqual(*u.Features, c.Features) {
		c.Features, changed = *u.Features, append(changed, "features")
	}
	changed = append(changed, u.applyPolicies(c)...)
	if methodChanged = u.applyMethod(c, newMethodID); methodChanged {
		changed = append(changed, "paymentMethod")
	}
	return changed, methodChanged
}

// applyPolicies replaces the customer's policies, and returns the names of the changed ones.
func (u CustomerUpdate) applyPolicies(c *customer.Customer) (changed []string) {
	if u.Dunning != nil && !reflect.DeepEqual(u.Dunning.Policy, c.Dunning) {
		c.Dunning, changed = u.Dunning.Policy, append(changed, "dunning")
	}
	if u.Overdue != nil && !reflect.DeepEqual(u.Overdue.Policy, c.OverduePolicy) {
		c.OverduePolicy, changed = u.Overdue.Policy, append(changed, "overduePolicy")
	}
	return changed
}

// applyMethod replaces the default payment method, and reports whether it changed. The default keeps its id: an app
// that knows one method only has one.
func (u CustomerUpdate) applyMethod(c *customer.Customer, newMethodID func() string) bool {
	if u.PaymentMethod == nil && u.PaymentDetails == nil {
		return false
	}
	before := *c
	if u.PaymentMethod != nil {
		c.PaymentMethod = *u.PaymentMethod
	}
	c.PaymentDetails = customer.PaymentDetails{}
	if u.PaymentDetails != nil {
		c.PaymentDetails = *u.PaymentDetails
	}
	switch {
	case c.PaymentMethod == "":
		c.PaymentMethodID = ""
	case c.PaymentMethodID == "":
		c.PaymentMethodID = newMethodID()
	}
	return c.PaymentMethod != before.PaymentMethod || c.PaymentDetails != before.PaymentDetails
}

// UpdateCustomer changes a customer, and announces the changes, if any. It signals the workflows of subscriptions that
// must try a new payment method after the commit. An unchanged method is not tried again, since an app may send all
// fields every night; PaySubscription tries it. An empty method removes the default, as RemovePaymentMethod does: the
// oldest other one, if any, is the default from then on.
func (s *Service) UpdateCustomer(
	ctx context.Context, by usecase.Caller, customerID string, u CustomerUpdate, also usecase.Also[customer.Customer],
) (customer.Customer, error) {
	checked, err := s.checkNewMethod(ctx, by, customerID, u)
	if err != nil {
		return customer.Customer{}, err
	}
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (customer.Customer, error) {
		c, err := usecase.LockCustomer(ctx, tx, by.EnvironmentID, customerID)
		if err != nil {
			return c, err
		}
		was := c
		changed, methodChanged := u.apply(&c, s.newMethodID)
		tx.AuditChanges(audit.Changes("customer", changed, was, c)...)
		if err := fault.Joined(c.Check(), c.CheckNew(was)); err != nil || len(changed) == 0 {
			return c, err
		}
		if err := checkFeatures(ctx, tx, by, c, was.Features); err != nil {
			return c, err
		}
		if methodChanged && methodOf(c) != checked { // another request changed the other half
			if err := s.checkMethodTaken(ctx, tx.Reader, by.EnvironmentID, c, false); err != nil {
				return c, err
			}
		}
		if methodChanged && c.PaymentMethod == "" {
			next, err := s.removeDefault(ctx, tx, by, was)
			if err != nil {
				return c, err
			}
			c, changed = c.WithMethod(next), append(changed, "paymentMethods")
		}
		return c, s.saveCustomer(ctx, tx, by, c, changed, methodChanged)
	})
}

// checkNewMethod checks and returns the payment method of a change before its transaction, which must not wait for a
// provider. It checks nothing for an unknown customer: the change is refused later.
func (s *Service) checkNewMethod(
	ctx context.Context, by usecase.Caller, customerID string, u CustomerUpdate,
) (checked payment.Method, err error) {
	if u.PaymentMethod == nil && u.PaymentDetails == nil {
		return checked, nil
	}
	c, err := s.Store.Customers.Get(ctx, by.EnvironmentID, customerID)
	if err != nil {
		return checked, usecase.UnlessAbsent(err)
	}
	// an invalid customer is refused later
	if _, methodChanged := u.apply(&c, s.newMethodID); methodChanged && c.Check() == nil {
		if err := s.checkMethodTaken(ctx, s.Store.Reader, by.EnvironmentID, c, true); err != nil {
			return checked, err
		}
		return methodOf(c), s.checkRenewsAll(ctx, by, c)
	}
	return checked, nil
}

// checkRenewsAll refuses a payment method that cannot renew one of the customer's subscriptions. Faults: those of
// CheckRenewable.
func (s *Service) checkRenewsAll(ctx context.Context, by usecase.Caller, c customer.Customer) error {
	return s.checkRenewsNaming(ctx, by, c, true)
}

// checkRenewsNaming refuses a payment method that cannot renew one of the subscriptions that name it or, with
// byDefault, that name none. Faults: those of CheckRenewable.
func (s *Service) checkRenewsNaming(
	ctx context.Context, by usecase.Caller, c customer.Customer, byDefault bool,
) error {
	billings, err := s.Store.Subscriptions.Billings(ctx, by.EnvironmentID, c.ID,
		db.MethodUse{MethodID: c.PaymentMethodID, ByDefault: byDefault})
	if err != nil {
		return err
	}
	for _, currency := range subscription.AskedIn(billings) {
		if err := s.CheckRenewable(ctx, by, c, currency, "paymentMethod"); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) newMethodID() string { return id.New(id.PaymentMethod, s.Now()) }

func methodOf(c customer.Customer) payment.Method {
	return payment.Method{Type: c.PaymentMethod, Details: c.PaymentDetails}
}

func (s *Service) saveCustomer(
	ctx context.Context, tx *db.Tx, by usecase.Caller, c customer.Customer, changed []string, methodChanged bool,
) error {
	now, err := usecase.CustomerNow(ctx, tx.Reader, by.EnvironmentID, c, s.Now())
	if err != nil {
		return err
	}
	if err := tx.Customers.Save(ctx, by.EnvironmentID, c); err != nil {
		return err
	}
	if slices.Contains(changed, "overduePolicy") {
		if err := tx.Customers.MarkToReview(ctx, by.EnvironmentID, c.ID); err != nil {
			return err
		}
	}
	if methodChanged && c.CanPay() {
		marked, err := tx.Subscriptions.MarkMethodChangedOf(ctx, by.EnvironmentID, c.ID, c.PaymentMethodID, true)
		if err != nil {
			return err
		}
		signal(tx, by, marked)
	}
	return tx.Emit(ctx, by.EnvironmentID, event.New(event.CustomerUpdated{ID: c.ID, Changed: changed}, now))
}

// signal wakes subscriptions whose payment method changed. The rows have the mark, and the signals are best effort: the
// reconciler sends lost ones.
func signal(tx *db.Tx, by usecase.Caller, marked []string) {
	for _, subscriptionID := range marked {
		tx.AfterCommit(db.SignalSubscription{EnvironmentID: by.EnvironmentID, ID: subscriptionID})
	}
}
