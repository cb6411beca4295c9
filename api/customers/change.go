package customers

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/db"
	"perennial/service/customers"
)

type updateCustomerInput struct {
	httpkit.ByID
	Body CustomerChange
}

// CustomerChange changes the fields that are sent and keeps the others. An empty text removes a field. paymentMethod
// and paymentDetails belong together: either replaces all details; details alone keep the method.
type CustomerChange struct {
	Email          *string             `json:"email,omitempty" maxLength:"254" example:"ada@example.com"`
	Name           *string             `json:"name,omitempty" maxLength:"200" example:"Ada King"`
	Phone          *string             `json:"phone,omitempty" maxLength:"16" example:"+237670000001"`
	Address        *view.Address       `json:"address,omitempty" doc:"Replaces the postal address. Its country and region are those beside it, and stay where it has none. Without fields: removes it."`
	Country        *string             `json:"country,omitempty" maxLength:"2" example:"CM" doc:"ISO 3166-1 alpha-2."`
	Region         *string             `json:"region,omitempty" maxLength:"3" example:"CA" doc:"The part of an ISO 3166-2 code behind the hyphen, with its country."`
	Locale         *string             `json:"locale,omitempty" maxLength:"35" example:"fr-CM" doc:"BCP 47."`
	TimeZone       *string             `json:"timeZone,omitempty" maxLength:"64" example:"Africa/Douala" doc:"IANA."`
	TaxExempt      *string             `json:"taxExempt,omitempty" enum:"none,exempt,reverse,taxed" example:"reverse" doc:"Counts for invoices that are issued from now on."`
	TaxIDs         *[]view.TaxIDForm   `json:"taxIds,omitempty" maxItems:"5" doc:"Replaces all tax ids."`
	Metadata       *view.Metadata      `json:"metadata,omitempty" maxProperties:"50" doc:"Replaces all metadata."`
	PaymentMethod  *string             `json:"paymentMethod,omitempty" pattern:"^(|card|mobile_money_[a-z0-9_]{1,40})$" patternDescription:"card, or mobile_money_ and the operator in small letters, such as mobile_money_mtn" example:"card" doc:"card or mobile_money_<operator>, together with its paymentDetails. Empty: removes the default, and the customer's oldest other payment method, if any, is the default from then on; 409 payment_method_in_use where subscriptions name it."`
	PaymentDetails *PaymentDetails     `json:"paymentDetails,omitempty" doc:"Replaces all payment details. Without paymentMethod, they belong to the current method."`
	Features       []CustomerFeature   `json:"features,omitempty" maxItems:"100" doc:"Replaces all features of the customer's own. They count at once."`
	Dunning        *view.Dunning       `json:"dunning,omitempty" doc:"Replaces the customer's whole dunning policy. It counts from the next failure."`
	RemoveDunning  bool                `json:"removeDunning,omitempty" doc:"true: removes the customer's dunning policy, so that the plan's or the environment's counts. Send this or dunning."`
	OverduePolicy  *view.OverduePolicy `json:"overduePolicy,omitempty" doc:"Replaces the customer's whole overdue policy. Without states, the customer is left out of the environment's. It counts within a minute."`
	RemoveOverdue  bool                `json:"removeOverduePolicy,omitempty" doc:"true: removes the customer's overdue policy, so that the environment's counts. Send this or overduePolicy."`
}

// dunning returns the change of the customer's policy; nil: none.
func (f CustomerChange) dunning() (*customers.Dunning, error) {
	switch {
	case f.RemoveDunning && f.Dunning != nil:
		return nil, fault.InvalidParam("removeDunning", "fields_exclusive",
			"Send `dunning` or `removeDunning`, not both.")
	case f.RemoveDunning:
		return &customers.Dunning{}, nil
	case f.Dunning == nil:
		return nil, nil
	}
	policy, err := f.Dunning.Policy()
	return &customers.Dunning{Policy: &policy}, err
}

// overdue returns the change of the customer's overdue policy; nil: none.
func (f CustomerChange) overdue() (*customers.Overdue, error) {
	switch {
	case f.RemoveOverdue && f.OverduePolicy != nil:
		return nil, fault.InvalidParam("removeOverduePolicy", "fields_exclusive",
			"Send `overduePolicy` or `removeOverduePolicy`, not both.")
	case f.RemoveOverdue:
		return &customers.Overdue{}, nil
	case f.OverduePolicy == nil:
		return nil, nil
	}
	policy := f.OverduePolicy.Policy()
	return &customers.Overdue{Policy: &policy}, nil
}

// update returns the customer update of the change.
func (f CustomerChange) update() (customers.CustomerUpdate, error) {
	own, err := f.dunning()
	if err != nil {
		return customers.CustomerUpdate{}, err
	}
	debts, err := f.overdue()
	if err != nil {
		return customers.CustomerUpdate{}, err
	}
	country, region, err := placed(f.Address, f.Country, f.Region)
	update := customers.CustomerUpdate{
		Email: f.Email, Name: f.Name, Phone: f.Phone, Country: country, Region: region, Dunning: own, Overdue: debts,
		Locale: f.Locale, TimeZone: f.TimeZone,
		Metadata:       (*metadata.Pairs)(f.Metadata),
		PaymentMethod:  f.PaymentMethod,
		PaymentDetails: (*customer.PaymentDetails)(f.PaymentDetails),
	}
	if f.Address != nil {
		address := f.Address.Postal()
		update.Address = &address
	}
	if f.TaxExempt != nil {
		exempt := exemption(*f.TaxExempt)
		update.TaxExempt = &exempt
	}
	if f.TaxIDs != nil {
		ids := view.ParseTaxIDs(*f.TaxIDs)
		update.TaxIDs = &ids
	}
	if f.Features != nil {
		own := featuresOf(f.Features)
		update.Features = &own
	}
	return update, err
}

func (h *Handler) updateCustomer(
	ctx context.Context, c *httpkit.Call, in *updateCustomerInput,
) (*httpkit.Reply[Customer], error) {
	update, err := in.Body.update()
	if err != nil {
		return nil, err
	}
	made := func(cust customer.Customer) httpkit.Made[Customer] {
		// The credits were read with the key, before the lock. An invoice that was issued since may have used some. The
		// change does not touch credit, and a later read shows it.
		rendered := renderCustomer(cust, httpkit.Resource[credited](c).credits)
		return httpkit.Made[Customer]{Resource: rendered, CustomerID: cust.ID}
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusOK, made, func(keep func(*db.Tx, customer.Customer) error) error {
		_, err := h.service.UpdateCustomer(ctx, usecase.Caller(c), in.ID, update, keep)
		return err
	})
}
