package customers

import (
	"context"
	"slices"

	"perennial/billing/audit"
	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// AddPaymentMethod stores m with a new id for a customer. asDefault says whether it becomes the default; nil: where the
// customer has none. Faults: customer_not_found, payment_methods_too_many, those of customer.Method, checkMethodTaken
// and, for a default, of CheckRenewable.
func (s *Service) AddPaymentMethod(
	ctx context.Context, by usecase.Caller, customerID string, m customer.Method, asDefault *bool,
	also usecase.Also[customer.Method],
) (customer.Method, error) {
	if err := m.Check(); err != nil {
		return m, err
	}
	c, err := usecase.Payer(ctx, s.Base, by, customerID)
	if err != nil {
		return m, err
	}
	becomesDefault := func(c customer.Customer) bool {
		if asDefault == nil {
			return c.PaymentMethod == ""
		}
		return *asDefault
	}
	if err := s.checkStored(ctx, by, c, m, becomesDefault(c)); err != nil {
		return m, err
	}
	m.ID, m.CustomerID, m.Revision = id.New(id.PaymentMethod, s.Now()), customerID, 1
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (customer.Method, error) {
		c, err := usecase.LockCustomer(ctx, tx, by.EnvironmentID, customerID)
		if err != nil {
			return m, err
		}
		all, err := tx.Customers.AllPaymentMethods(ctx, by.EnvironmentID, customerID)
		if err != nil {
			return m, err
		}
		if len(all) >= customer.MaxMethods {
			return m, customer.ErrTooManyMethods
		}
		if m.CreatedAt, err = usecase.CustomerNow(ctx, tx.Reader, by.EnvironmentID, c, s.Now()); err != nil {
			return m, err
		}
		if err := tx.Customers.InsertPaymentMethod(ctx, by.EnvironmentID, m); err != nil {
			return m, err
		}
		if m.Default = becomesDefault(c); m.Default {
			return m, s.saveCustomer(ctx, tx, by, c.WithMethod(m), []string{"paymentMethod", "paymentMethods"}, true)
		}
		return m, s.announceMethods(ctx, tx, by, c)
	})
}

// checkStored refuses a payment method that no account takes, and one that cannot renew the subscriptions that it would
// be charged for. It may use the network.
func (s *Service) checkStored(
	ctx context.Context, by usecase.Caller, c customer.Customer, m customer.Method, charged bool,
) error {
	with := c.WithMethod(m)
	if err := s.checkMethodTaken(ctx, s.Store.Reader, by.EnvironmentID, with, true); err != nil {
		return err
	}
	return s.checkRenewsNaming(ctx, by, with, charged)
}

// announceMethods announces that the payment methods beside the default changed.
func (s *Service) announceMethods(ctx context.Context, tx *db.Tx, by usecase.Caller, c customer.Customer) error {
	now, err := usecase.CustomerNow(ctx, tx.Reader, by.EnvironmentID, c, s.Now())
	if err != nil {
		return err
	}
	changed := event.CustomerUpdated{ID: c.ID, Changed: []string{"paymentMethods"}}
	return tx.Emit(ctx, by.EnvironmentID, event.New(changed, now))
}

// PaymentMethodUpdate changes the fields that are not nil. PaymentMethod and PaymentDetails belong together, as in
// CustomerUpdate. Another token is another card: nothing that was known of the former counts for it.
type PaymentMethodUpdate struct {
	PaymentMethod  *string
	PaymentDetails *customer.PaymentDetails
	Card           *customer.Card
	BillingName    *string
	Default        *bool
}

// apply changes m and returns the names of the changed fields.
func (u PaymentMethodUpdate) apply(m *customer.Method) (changed []string) {
	was := *m
	if u.PaymentMethod != nil {
		m.Type, m.Details = *u.PaymentMethod, customer.PaymentDetails{}
	}
	if u.PaymentDetails != nil {
		m.Details = *u.PaymentDetails
	}
	if m.Type != was.Type || m.Details != was.Details {
		m.Card, m.BillingName, changed = customer.Card{}, "", append(changed, "paymentMethod")
	}
	if u.Card != nil {
		m.Card = *u.Card
	}
	if m.Card != was.Card {
		changed = append(changed, "card")
	}
	if u.BillingName != nil {
		m.BillingName = *u.BillingName
	}
	if m.BillingName != was.BillingName {
		changed = append(changed, "billingName")
	}
	if u.Default != nil && *u.Default && !was.Default {
		m.Default, changed = true, append(changed, "default")
	}
	return changed
}

// UpdatePaymentMethod changes seen, which the caller read before, and announces the changes, if any. Subscriptions that
// charge it try it again where its token is another one. Faults: payment_method_not_found, default_needs_successor,
// those of AddPaymentMethod.
func (s *Service) UpdatePaymentMethod(
	ctx context.Context, by usecase.Caller, seen customer.Method, u PaymentMethodUpdate,
	also usecase.Also[customer.Method],
) (customer.Method, error) {
	if !seen.RemovedAt.IsZero() {
		return seen, db.ErrPaymentMethodNotFound
	}
	c, err := usecase.Payer(ctx, s.Base, by, seen.CustomerID)
	if err != nil {
		return seen, methodGone(err)
	}
	checked, err := s.checkUpdate(ctx, by, c, seen, u)
	if err != nil {
		return seen, err
	}
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (customer.Method, error) {
		c, all, i, err := lockMethod(ctx, tx, by, seen)
		if err != nil {
			return seen, err
		}
		m := all[i]
		if u.Default != nil && !*u.Default && m.Default {
			return m, customer.ErrDefaultNeedsSuccessor
		}
		was := m
		changed := u.apply(&m)
		tx.AuditChanges(audit.Changes("payment_method", changed, was, m)...)
		if err := m.Check(); err != nil || len(changed) == 0 {
			return m, err
		}
		charged := m.Type != was.Type || m.Details != was.Details || m.Default != was.Default
		if charged && m != withoutRevision(checked, m) { // another request changed it meanwhile
			if err := s.checkMethodTaken(ctx, tx.Reader, by.EnvironmentID, c.WithMethod(m), false); err != nil {
				return m, err
			}
		}
		if err := tx.Customers.SavePaymentMethod(ctx, by.EnvironmentID, m); err != nil {
			return m, err
		}
		m.Revision++
		if m.Default && charged {
			return m, s.saveCustomer(ctx, tx, by, c.WithMethod(m), []string{"paymentMethod", "paymentMethods"}, true)
		}
		if charged { // those that name it try it again
			marked, err := tx.Subscriptions.MarkMethodChangedOf(ctx, by.EnvironmentID, c.ID, m.ID, false)
			if err != nil {
				return m, err
			}
			signal(tx, by, marked)
		}
		return m, s.announceMethods(ctx, tx, by, c)
	})
}

// checkUpdate returns a method as an update would leave it, checked before the transaction, which must not wait for a
// provider.
func (s *Service) checkUpdate(
	ctx context.Context, by usecase.Caller, c customer.Customer, m customer.Method, u PaymentMethodUpdate,
) (customer.Method, error) {
	changed := u.apply(&m)
	if !slices.Contains(changed, "paymentMethod") && !slices.Contains(changed, "default") {
		return m, nil
	}
	if err := m.Check(); err != nil {
		return m, err
	}
	return m, s.checkStored(ctx, by, c, m, m.Default)
}

// withoutRevision returns m with the revision of another.
func withoutRevision(m, other customer.Method) customer.Method {
	m.Revision = other.Revision
	return m
}

// lockMethod locks the customer of a payment method, under whose lock methods change, and returns all of the customer's
// methods with the index of this one. Fault: payment_method_not_found, also for a removed one.
func lockMethod(
	ctx context.Context, tx *db.Tx, by usecase.Caller, seen customer.Method,
) (c customer.Customer, all []customer.Method, i int, err error) {
	if c, err = usecase.LockCustomer(ctx, tx, by.EnvironmentID, seen.CustomerID); err != nil {
		return c, nil, 0, methodGone(err)
	}
	if all, err = tx.Customers.AllPaymentMethods(ctx, by.EnvironmentID, c.ID); err != nil {
		return c, nil, 0, err
	}
	i = slices.IndexFunc(all, func(m customer.Method) bool { return m.ID == seen.ID })
	if i < 0 {
		return c, nil, 0, db.ErrPaymentMethodNotFound
	}
	return c, all, i, nil
}

// methodGone says of an erased customer that the payment method does not exist, which the request names.
func methodGone(err error) error {
	if usecase.Absent(err) {
		return db.ErrPaymentMethodNotFound
	}
	return err
}
