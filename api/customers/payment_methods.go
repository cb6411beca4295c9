package customers

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/customer"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/customers"
)

// PaymentMethod is a stored payment method of a customer. Tokens and whole numbers of wallets are never in it.
type PaymentMethod struct {
	ID            string `json:"id" example:"pm_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	CustomerID    string `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	PaymentMethod string `json:"paymentMethod" example:"card" doc:"card or mobile_money_<operator>."`
	Default       bool   `json:"default" doc:"true: charges use it unless they name another one. The customer's paymentMethod and paymentDetails are its own."`
	Provider      string `json:"provider,omitempty" example:"stripe" doc:"The payment provider that keeps it. Absent: any account that takes it."`
	Card          *Card  `json:"card,omitempty" doc:"What a person recognizes the card by. Absent: unknown, or no card."`
	PhoneNumber   string `json:"phoneNumber,omitempty" example:"+237*******01" doc:"Of a mobile money wallet, masked."`
	BillingName   string `json:"billingName,omitempty" example:"Ada Lovelace" doc:"The name on the card or the account. Erased with the customer."`
	CreatedAt     int64  `json:"createdAt" example:"1763640000" doc:"Unix seconds, in the customer's time."`
}

// Card has what a person recognizes a card by, as the payment provider shows it. Never a whole card number.
type Card struct {
	Brand       string `json:"brand,omitempty" maxLength:"40" example:"visa" doc:"As the payment provider names it."`
	LastFour    string `json:"lastFour,omitempty" pattern:"^[0-9]{4}$" patternDescription:"the last four digits" example:"4242" doc:"The last four digits of the card."`
	ExpiryMonth int    `json:"expiryMonth,omitempty" minimum:"1" maximum:"12" example:"8" doc:"With expiryYear: the last month in which the card is good."`
	ExpiryYear  int    `json:"expiryYear,omitempty" minimum:"2000" maximum:"2199" example:"2028" doc:"With expiryMonth."`
}

// PaymentMethodForm adds a payment method to a customer.
type PaymentMethodForm struct {
	PaymentMethod  string          `json:"paymentMethod" pattern:"^(card|mobile_money_[a-z0-9_]{1,40})$" patternDescription:"card, or mobile_money_ and the operator in small letters, such as mobile_money_mtn" example:"card" doc:"card or mobile_money_<operator>."`
	PaymentDetails *PaymentDetails `json:"paymentDetails" doc:"The provider's tokens, or a phone number."`
	Card           *Card           `json:"card,omitempty" doc:"What the provider shows of the card. It is shown to people, and expiry dates are watched."`
	BillingName    string          `json:"billingName,omitempty" maxLength:"200" example:"Ada Lovelace" doc:"The name on the card or the account."`
	Default        *bool           `json:"default,omitempty" doc:"true: charges use it from now on, also those of past-due subscriptions, at once. Default: true for a customer without a payment method, else false."`
}

// PaymentMethodChange changes the fields that are sent. Other details replace the token: the method keeps its id, and
// nothing that was known of the former card counts.
type PaymentMethodChange struct {
	PaymentMethod  *string         `json:"paymentMethod,omitempty" pattern:"^(card|mobile_money_[a-z0-9_]{1,40})$" patternDescription:"card, or mobile_money_ and the operator in small letters, such as mobile_money_mtn" example:"card" doc:"card or mobile_money_<operator>, together with its paymentDetails."`
	PaymentDetails *PaymentDetails `json:"paymentDetails,omitempty" doc:"Replaces all details. Without paymentMethod, they belong to the same type."`
	Card           *Card           `json:"card,omitempty" doc:"Replaces what is known of the card."`
	BillingName    *string         `json:"billingName,omitempty" maxLength:"200" example:"Ada King" doc:"Empty: removes it."`
	Default        *bool           `json:"default,omitempty" doc:"true: makes it the default. The default itself cannot be set to false: set another one to true."`
}

// PaymentMethodRemoved says what is the default from now on.
type PaymentMethodRemoved struct {
	ID        string `json:"id" example:"pm_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Deleted   bool   `json:"deleted" doc:"true."`
	DefaultID string `json:"defaultPaymentMethodId,omitempty" example:"pm_01jcz6dyqx4w9s1c2k7v5h8m3p" doc:"The customer's default from now on. Absent: the customer has none, and charges fail until one is added."`
}

func (c *Card) card() customer.Card {
	if c == nil {
		return customer.Card{}
	}
	return customer.Card{Brand: c.Brand, LastFour: c.LastFour, ExpiryYear: c.ExpiryYear, ExpiryMonth: c.ExpiryMonth}
}

func renderPaymentMethod(m customer.Method) PaymentMethod {
	out := PaymentMethod{
		ID: m.ID, CustomerID: m.CustomerID, PaymentMethod: m.Type, Default: m.Default, Provider: m.Details.Provider,
		PhoneNumber: m.MaskedPhone(), BillingName: m.BillingName, CreatedAt: view.Unix(m.CreatedAt),
	}
	if m.Card != (customer.Card{}) {
		out.Card = &Card{Brand: m.Card.Brand, LastFour: m.Card.LastFour, ExpiryMonth: m.Card.ExpiryMonth,
			ExpiryYear: m.Card.ExpiryYear}
	}
	return out
}

// madePaymentMethod names the customer, with whom the answer is erased.
func madePaymentMethod(m customer.Method) httpkit.Made[PaymentMethod] {
	return httpkit.Made[PaymentMethod]{Resource: renderPaymentMethod(m), CustomerID: m.CustomerID}
}

type createPaymentMethodInput struct {
	httpkit.ByID
	Body PaymentMethodForm
}

func (h *Handler) createPaymentMethod(
	ctx context.Context, c *httpkit.Call, in *createPaymentMethodInput,
) (*httpkit.Reply[PaymentMethod], error) {
	m := customer.Method{Type: in.Body.PaymentMethod, Card: in.Body.Card.card(), BillingName: in.Body.BillingName}
	if in.Body.PaymentDetails != nil {
		m.Details = customer.PaymentDetails(*in.Body.PaymentDetails)
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusCreated, madePaymentMethod,
		func(keep func(*db.Tx, customer.Method) error) error {
			_, err := h.service.AddPaymentMethod(ctx, usecase.Caller(c), in.ID, m, in.Body.Default, keep)
			return err
		})
}

func (h *Handler) getPaymentMethod(
	_ context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (*httpkit.Reply[PaymentMethod], error) {
	return httpkit.OK(renderPaymentMethod(httpkit.Resource[customer.Method](c))), nil
}

type listPaymentMethodsInput struct {
	httpkit.ByID
	httpkit.Page
}

func (h *Handler) listPaymentMethods(
	ctx context.Context, c *httpkit.Call, in *listPaymentMethodsInput,
) (*httpkit.Reply[httpkit.List[PaymentMethod]], error) {
	page, err := in.DB(id.PaymentMethod)
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Customers.PaymentMethods(ctx, c.EnvironmentID, in.ID, page)
	return httpkit.ListOf(rows, more, err, renderPaymentMethod)
}

type updatePaymentMethodInput struct {
	httpkit.ByID
	Body PaymentMethodChange
}

func (h *Handler) updatePaymentMethod(
	ctx context.Context, c *httpkit.Call, in *updatePaymentMethodInput,
) (*httpkit.Reply[PaymentMethod], error) {
	update := customers.PaymentMethodUpdate{
		PaymentMethod: in.Body.PaymentMethod, PaymentDetails: (*customer.PaymentDetails)(in.Body.PaymentDetails),
		BillingName: in.Body.BillingName, Default: in.Body.Default,
	}
	if in.Body.Card != nil {
		card := in.Body.Card.card()
		update.Card = &card
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusOK, madePaymentMethod,
		func(keep func(*db.Tx, customer.Method) error) error {
			_, err := h.service.UpdatePaymentMethod(ctx, usecase.Caller(c), httpkit.Resource[customer.Method](c), update, keep)
			return err
		})
}

type deletePaymentMethodInput struct {
	httpkit.ByID
	ReplacementID string `query:"replacementId" maxLength:"64" doc:"Another payment method of the customer, which subscriptions that name this one name from then on. Where this one was the default, it becomes that."`
	Force         bool   `query:"force" doc:"true: subscriptions that name this one are charged by the customer's default from then on."`
}

func (h *Handler) deletePaymentMethod(
	ctx context.Context, c *httpkit.Call, in *deletePaymentMethodInput,
) (*httpkit.Reply[PaymentMethodRemoved], error) {
	made := func(r customers.RemovedMethod) httpkit.Made[PaymentMethodRemoved] {
		return httpkit.Made[PaymentMethodRemoved]{
			Resource:   PaymentMethodRemoved{ID: r.ID, Deleted: true, DefaultID: r.DefaultID},
			CustomerID: r.CustomerID,
		}
	}
	return usecase.Command(ctx, h.kit, c, http.StatusOK, made,
		func(around usecase.Around[customers.RemovedMethod]) error {
			return h.service.RemovePaymentMethod(ctx, usecase.Caller(c), httpkit.Resource[customer.Method](c),
				customers.Removal{ReplacementID: in.ReplacementID, Force: in.Force}, around)
		})
}

// paymentMethodWithKey finds payment methods that are not removed: the API does not show removed ones.
func (h *Handler) paymentMethodWithKey(
	ctx context.Context, hash []byte, methodID string,
) (db.APIKey, customer.Method, error) {
	key, found, err := h.store.Customers.PaymentMethodWithKey(ctx, hash, methodID)
	if err == nil && !found.RemovedAt.IsZero() {
		err = httpkit.NotFound(db.ErrPaymentMethodNotFound)
	}
	return key, found, err
}

// paymentMethodOperations registers the operations of payment methods; loadAny also finds erased customers, for
// repeats.
func (h *Handler) paymentMethodOperations(load, loadAny httpkit.Loader) {
	const tag = "Payment methods"
	example := PaymentMethod{
		ID: "pm_01jcz6dyqx4w9s1c2k7v5h8m3n", CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", PaymentMethod: "card",
		Default: true, Provider: "stripe", Card: &Card{Brand: "visa", LastFour: "4242", ExpiryMonth: 8, ExpiryYear: 2028},
		BillingName: "Ada Lovelace", CreatedAt: 1763640000,
	}
	loadMethod := httpkit.LoadByID(h.kit, id.PaymentMethod, db.ErrPaymentMethodNotFound, h.paymentMethodWithKey)
	loadAnyMethod := httpkit.LoadByID(h.kit, id.PaymentMethod, db.ErrPaymentMethodNotFound,
		h.store.Customers.PaymentMethodWithKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createPaymentMethod", Method: http.MethodPost, Path: "/customers/{id}/payment-methods", Tag: tag,
		Summary: "Add a payment method to a customer",
		Description: "By the token that the payment provider's page or SDK gave, or by the number of a mobile money wallet. " +
			"No answer shows the token again, but for the customer's paymentDetails, which are those of the default.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Load: loadAny, Response: example,
		Request: PaymentMethodForm{
			PaymentMethod: "card",
			PaymentDetails: &PaymentDetails{
				Provider: "stripe", CustomerToken: "cus_9s6XKzkNRiz8i3", PaymentMethodToken: "pm_1NVChw2eZvKYlo2C",
			},
			Card: example.Card, BillingName: example.BillingName,
		},
	}, h.createPaymentMethod)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listPaymentMethods", Method: http.MethodGet, Path: "/customers/{id}/payment-methods", Tag: tag,
		Summary: "List a customer's payment methods", Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load,
		Response: httpkit.List[PaymentMethod]{Data: []PaymentMethod{example}},
	}, h.listPaymentMethods)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getPaymentMethod", Method: http.MethodGet, Path: "/payment-methods/{id}", Tag: tag,
		Summary: "Get a payment method", Status: http.StatusOK, Access: httpkit.ReadAccess, Load: loadMethod,
		Response: example,
	}, h.getPaymentMethod)
	name := "Ada King"
	renamed := example
	renamed.BillingName = name
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "updatePaymentMethod", Method: http.MethodPatch, Path: "/payment-methods/{id}", Tag: tag,
		Summary: "Update a payment method",
		Description: "Other paymentDetails replace the token under the same id. A default that is changed so, or a new " +
			"default, is charged at once for invoices in collection, and recovers past-due subscriptions.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: loadAnyMethod, Response: renamed,
		Request: PaymentMethodChange{BillingName: &name},
	}, h.updatePaymentMethod)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "deletePaymentMethod", Method: http.MethodDelete, Path: "/payment-methods/{id}", Tag: tag,
		Summary: "Remove a payment method",
		Description: "Where it was the default, the customer's oldest other payment method is the default from then on. " +
			"Payments that have begun with it go on. Where subscriptions name it, replacementId or force says how they are " +
			"charged from then on; without either it is not removed (409 payment_method_in_use).",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: loadAnyMethod,
		Response: PaymentMethodRemoved{ID: example.ID, Deleted: true},
	}, h.deletePaymentMethod)
}
