package api

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/metadata"
	"perennial/contract"
	"perennial/db"
)

type updateCustomerInput struct {
	httpkit.ByID
	Body CustomerChange
}

// CustomerChange changes the fields that are sent and leaves the others. An empty text takes a field away. paymentMethod
// and paymentDetails belong together: sending either replaces the details as a whole; details alone keep the method.
type CustomerChange struct {
	Email          *string         `json:"email,omitempty" maxLength:"254" example:"ada@example.com"`
	Name           *string         `json:"name,omitempty" maxLength:"200" example:"Ada King"`
	Phone          *string         `json:"phone,omitempty" maxLength:"16" example:"+237670000001"`
	Metadata       *Metadata       `json:"metadata,omitempty" maxProperties:"50" doc:"Replaces all metadata."`
	PaymentMethod  *string         `json:"paymentMethod,omitempty" pattern:"^(|card|mobile_money_[a-z0-9_]{1,40})$" example:"card" doc:"card or mobile_money_<operator>, and its paymentDetails with it; empty: none any more."`
	PaymentDetails *PaymentDetails `json:"paymentDetails,omitempty" doc:"Replaces the details as a whole. Without paymentMethod they are new details of the same method."`
}

// apply changes c and names the fields that changed: names only, because events carry nothing personal.
func (f CustomerChange) apply(c *customer.Customer) (changed []string, methodChanged bool) {
	text := func(name string, to *string, field *string) {
		if to != nil && *to != *field {
			*field, changed = *to, append(changed, name)
		}
	}
	text("email", f.Email, &c.Email)
	text("name", f.Name, &c.Name)
	text("phone", f.Phone, &c.Phone)
	if f.Metadata != nil {
		c.Metadata, changed = metadata.Pairs(*f.Metadata), append(changed, "metadata")
	}
	if f.PaymentMethod != nil || f.PaymentDetails != nil {
		// A method that is sent again counts as new: it is how a caller says "try this card once more".
		methodChanged, changed = true, append(changed, "paymentMethod")
		if f.PaymentMethod != nil {
			c.PaymentMethod = *f.PaymentMethod
		}
		c.PaymentDetails = customer.PaymentDetails{}
		if f.PaymentDetails != nil {
			c.PaymentDetails = customer.PaymentDetails(*f.PaymentDetails)
		}
	}
	return changed, methodChanged
}

func (s *Server) updateCustomer(ctx context.Context, c *httpkit.Call, in *updateCustomerInput) (*httpkit.Reply[Customer], error) {
	var wake []string
	out, err := httpkit.Create(ctx, s.kit, c, http.StatusOK, httpkit.Directly(func(tx *db.Tx) (httpkit.Made[Customer], error) {
		cust, err := tx.LockCustomer(ctx, c.EnvironmentID, in.ID)
		if err != nil {
			return httpkit.Made[Customer]{}, err
		}
		wake, err = s.changeCustomer(ctx, tx, c, &cust, in.Body)
		return httpkit.Made[Customer]{Resource: renderCustomer(cust, httpkit.Resource[credited](c).credits), CustomerID: cust.ID}, err
	}))
	if err != nil {
		return nil, err
	}
	s.wake(ctx, c.EnvironmentID, wake)
	return out, nil
}

// changeCustomer answers the subscriptions that have to hear of a new payment method.
func (s *Server) changeCustomer(ctx context.Context, tx *db.Tx, c *httpkit.Call, cust *customer.Customer, f CustomerChange) (wake []string, err error) {
	if !cust.ErasedAt.IsZero() {
		return nil, httpkit.NotFound(db.ErrCustomerNotFound)
	}
	changed, methodChanged := f.apply(cust)
	if err := checkCustomer(*cust); err != nil {
		return nil, err
	}
	if len(changed) == 0 {
		return nil, nil
	}
	now, err := customerNow(ctx, tx.Reader, c.EnvironmentID, *cust, s.now())
	if err != nil {
		return nil, err
	}
	if err := tx.SaveCustomer(ctx, c.EnvironmentID, *cust); err != nil {
		return nil, err
	}
	if methodChanged {
		if wake, err = tx.MarkMethodChanged(ctx, c.EnvironmentID, cust.ID); err != nil {
			return nil, err
		}
	}
	return wake, tx.Emit(ctx, c.EnvironmentID, event.Event{
		Type: event.CustomerUpdated, ObjectID: cust.ID, CustomerID: cust.ID,
		Data: map[string]any{"id": cust.ID, "changed": changed}, OccurredAt: now,
	})
}

// wake tells subscriptions' workflows to look at their rows. Best effort: the reconciler repeats what is lost here.
func (s *Server) wake(ctx context.Context, environmentID string, subscriptionIDs []string) {
	if len(subscriptionIDs) == 0 {
		return
	}
	ctx, cancel := s.kit.Afterwards(ctx)
	defer cancel()
	for _, subscriptionID := range subscriptionIDs {
		s.bestEffort(ctx, "wake", subscriptionID, s.engine.Wake(ctx, contract.Ref{EnvironmentID: environmentID, ID: subscriptionID},
			contract.SignalWake, contract.Wake{By: "key"}))
	}
}
