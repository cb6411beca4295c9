package service

import (
	"context"
	"errors"
	"maps"

	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/db"
	"perennial/internal/id"
)

// CreateCustomer stores c, whose id and dates are made here. On a test clock it begins at the clock's time.
func (s *Service) CreateCustomer(
	ctx context.Context, by Caller, c customer.Customer, also Also[customer.Customer],
) (customer.Customer, error) {
	if err := checkCustomer(c); err != nil {
		return c, err
	}
	if c.TestClockID != "" {
		if err := by.TestModeOnly("testClockId"); err != nil {
			return c, err
		}
	}
	// Real time, also on a test clock: ids sort by when rows were made, and a clock may stand in any year.
	c.ID, c.Revision = id.New(id.Customer, s.now()), 1
	return transact(ctx, s, by, also, func(tx *db.Tx) (customer.Customer, error) {
		var err error
		if c.CreatedAt, err = s.lockClock(ctx, tx, by.EnvironmentID, c.TestClockID); err != nil {
			return c, inParam(err, "testClockId")
		}
		if err := checkProvider(ctx, tx, by, c); err != nil {
			return c, err
		}
		if err := tx.InsertCustomer(ctx, by.EnvironmentID, c); err != nil {
			return c, err
		}
		return c, tx.Emit(ctx, by.EnvironmentID, event.New(event.CustomerCreated{ID: c.ID}, c.CreatedAt))
	})
}

// checkProvider refuses details for a provider that does not take this environment's payments: its tokens mean nothing
// to the one that does.
func checkProvider(ctx context.Context, tx *db.Tx, by Caller, c customer.Customer) error {
	named := c.PaymentDetails.Provider
	if named == "" {
		return nil
	}
	configured, err := tx.ProviderConfig(ctx, by.EnvironmentID)
	switch {
	case errors.Is(err, db.ErrProviderConfigNotFound):
		return fault.InvalidParam(providerParam, "provider_not_configured",
			"The environment has no payment provider. Configure %s first, or omit the field.", named)
	case err == nil && configured.Provider != named:
		return fault.InvalidParam(providerParam, "provider_not_configured",
			"The payment provider of this environment is %s. "+
				"Send this name and its tokens, or omit the field.", configured.Provider)
	}
	return err
}

const providerParam = "paymentDetails.provider"

// CustomerUpdate changes the fields that are not nil. PaymentMethod and PaymentDetails belong together: either replaces
// the details as a whole; details alone keep the method. Half of the old details and half of the new would name a payer
// who does not exist.
type CustomerUpdate struct {
	Email, Name, Phone *string
	Metadata           *metadata.Pairs // replaces all
	PaymentMethod      *string
	PaymentDetails     *customer.PaymentDetails
}

// apply changes c and names the fields that changed: names only, because events carry nothing personal.
func (u CustomerUpdate) apply(c *customer.Customer) (changed []string, methodChanged bool) {
	text := func(name string, to *string, field *string) {
		if to != nil && *to != *field {
			*field, changed = *to, append(changed, name)
		}
	}
	text("email", u.Email, &c.Email)
	text("name", u.Name, &c.Name)
	text("phone", u.Phone, &c.Phone)
	if u.Metadata != nil && !maps.Equal(*u.Metadata, c.Metadata) {
		c.Metadata, changed = *u.Metadata, append(changed, "metadata")
	}
	if u.PaymentMethod != nil || u.PaymentDetails != nil {
		before := *c
		if u.PaymentMethod != nil {
			c.PaymentMethod = *u.PaymentMethod
		}
		c.PaymentDetails = customer.PaymentDetails{}
		if u.PaymentDetails != nil {
			c.PaymentDetails = *u.PaymentDetails
		}
		methodChanged = c.PaymentMethod != before.PaymentMethod || c.PaymentDetails != before.PaymentDetails
		if methodChanged {
			changed = append(changed, "paymentMethod")
		}
	}
	return changed, methodChanged
}

// UpdateCustomer changes a customer, and announces what changed if anything did. The workflows of subscriptions that
// have to try a new payment method are signalled after the commit. A method that is as it was is not tried again: an
// app may send all fields every night. To try it once more is a payment (PaySubscription).
func (s *Service) UpdateCustomer(
	ctx context.Context, by Caller, customerID string, u CustomerUpdate, also Also[customer.Customer],
) (customer.Customer, error) {
	return transact(ctx, s, by, also, func(tx *db.Tx) (customer.Customer, error) {
		c, err := lockCustomer(ctx, tx, by.EnvironmentID, customerID)
		if err != nil {
			return c, err
		}
		changed, methodChanged := u.apply(&c)
		if err := checkCustomer(c); err != nil || len(changed) == 0 {
			return c, err
		}
		if methodChanged {
			if err := checkProvider(ctx, tx, by, c); err != nil {
				return c, err
			}
		}
		return c, s.saveCustomer(ctx, tx, by, c, changed, methodChanged)
	})
}

func (s *Service) saveCustomer(
	ctx context.Context, tx *db.Tx, by Caller, c customer.Customer, changed []string, methodChanged bool,
) error {
	now, err := customerNow(ctx, tx.Reader, by.EnvironmentID, c, s.now())
	if err != nil {
		return err
	}
	if err := tx.SaveCustomer(ctx, by.EnvironmentID, c); err != nil {
		return err
	}
	if methodChanged && c.CanPay() {
		subscriptions, err := tx.MarkMethodChanged(ctx, by.EnvironmentID, c.ID)
		if err != nil {
			return err
		}
		// The mark is in the rows, and the signals are best effort: the reconciler sends what is lost.
		for _, subscriptionID := range subscriptions {
			tx.AfterCommit(db.SignalSubscription{EnvironmentID: by.EnvironmentID, ID: subscriptionID})
		}
	}
	return tx.Emit(ctx, by.EnvironmentID, event.New(event.CustomerUpdated{ID: c.ID, Changed: changed}, now))
}
