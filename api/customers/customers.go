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
)

// Customer is a payer.
type Customer struct {
	ID             string              `json:"id" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Email          string              `json:"email,omitempty" example:"ada@example.com"`
	Name           string              `json:"name,omitempty" example:"Ada Lovelace"`
	Phone          string              `json:"phone,omitempty" example:"+237670000001"`
	Address        *view.Address       `json:"address,omitempty" doc:"The postal address. Absent: nothing but perhaps the country and the region is known."`
	Country        string              `json:"country,omitempty" example:"CM" doc:"ISO 3166-1 alpha-2."`
	Region         string              `json:"region,omitempty" example:"CA" doc:"The part of an ISO 3166-2 code behind the hyphen."`
	Locale         string              `json:"locale,omitempty" example:"fr-CM" doc:"BCP 47: the language of what the customer reads."`
	TimeZone       string              `json:"timeZone,omitempty" example:"Africa/Douala" doc:"IANA: of the dates that the customer reads."`
	TaxExempt      string              `json:"taxExempt" enum:"none,exempt,reverse,taxed" example:"none" doc:"What was set about the customer's taxes. exempt: none. reverse: the customer owes them instead of the seller. taxed: they are charged, also where a rule would reverse the charge. none: the rule decides."`
	TaxIDs         []view.TaxID        `json:"taxIds,omitempty" doc:"The numbers under which tax authorities know the customer."`
	Metadata       view.Metadata       `json:"metadata"`
	PaymentMethod  string              `json:"paymentMethod,omitempty" example:"card" doc:"card or mobile_money_<operator>; absent: none."`
	PaymentDetails *PaymentDetails     `json:"paymentDetails,omitempty"`
	DefaultMethod  string              `json:"defaultPaymentMethodId,omitempty" example:"pm_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The payment method that paymentMethod and paymentDetails are of. Absent: none."`
	Features       []CustomerFeature   `json:"features,omitempty" doc:"What the customer has of features in place of what plans give. Absent: nothing."`
	Dunning        *view.Dunning       `json:"dunning,omitempty" doc:"What is done about the customer's unpaid invoices. Absent: the policy of the plan, or that of the environment."`
	OverduePolicy  *view.OverduePolicy `json:"overduePolicy,omitempty" doc:"What follows from several unpaid invoices of the customer. Absent: the policy of the environment."`
	Overdue        *Overdue            `json:"overdue,omitempty" doc:"The state that the overdue policy has the customer in. Absent: none."`
	CreditBalance  []Credit            `json:"creditBalance" doc:"The customer's credit, one entry per currency. The next invoices in that currency use it first. Empty: no credit."`
	TestClockID    string              `json:"testClockId,omitempty" doc:"The test clock of the customer."`
	CreatedAt      int64               `json:"createdAt" example:"1763640000" doc:"Unix seconds."`
}

// Credit is an amount that reduces the next invoices.
type Credit struct {
	Currency string `json:"currency" example:"USD" doc:"ISO 4217."`
	Amount   int64  `json:"amount" example:"450" doc:"All that the customer has in the currency: granted plus plain, in minor units."`
	Granted  int64  `json:"granted" example:"300" doc:"Of amount: what credit grants have left. Invoices use them first, where they may."`
	Plain    int64  `json:"plain" example:"150" doc:"Of amount: the plain balance, which any invoice uses; below zero, the next invoice collects it."`
}

// PaymentDetails hold a provider's tokens, or a phone number. Card numbers are refused. No field is for a card's own
// data: an app that collects a card at the provider never has it, and neither has this service.
type PaymentDetails struct {
	PhoneNumber        string `json:"phoneNumber,omitempty" maxLength:"16" example:"+237670000001" doc:"International format; for mobile money."`
	Provider           string `json:"provider,omitempty" maxLength:"40" example:"stripe" doc:"The payment provider of the details. It must have an active account in the environment, and takes the charges."`
	CustomerToken      string `json:"customerToken,omitempty" maxLength:"255" example:"cus_9s6XKzkNRiz8i3" doc:"The provider's id of the customer."`
	PaymentMethodToken string `json:"paymentMethodToken,omitempty" maxLength:"255" example:"pm_1NVChw2eZvKYlo2C" doc:"The provider's id of the saved method."`
}

// renderCredits returns the given credits of a customer. Without credit it is an empty list, not null.
func renderCredits(customerID string, credits []db.Credit) []Credit {
	out := []Credit{}
	for _, credit := range credits {
		if credit.CustomerID == customerID {
			out = append(out, Credit{
				Currency: string(credit.Currency), Amount: int64(credit.Total()), Granted: int64(credit.Granted),
				Plain: int64(credit.Balance),
			})
		}
	}
	return out
}

// renderCustomer returns the customer with those of the given credits that are the customer's.
func renderCustomer(c customer.Customer, credits []db.Credit) Customer {
	out := Customer{
		ID: c.ID, Email: c.Email, Name: c.Name, Phone: c.Phone, Country: c.Country, Region: c.Region,
		Address: view.RenderAddress(c.Address, c.Region, c.Country), Locale: c.Locale, TimeZone: c.TimeZone,
		TaxExempt: renderExemption(c.TaxExempt), TaxIDs: view.RenderTaxIDs(c.TaxIDs),
		Metadata:      view.RenderMetadata(c.Metadata),
		PaymentMethod: c.PaymentMethod, DefaultMethod: c.PaymentMethodID, CreditBalance: renderCredits(c.ID, credits),
		TestClockID: c.TestClockID, CreatedAt: view.Unix(c.CreatedAt),
	}
	out.Features = renderFeatures(c.Features)
	if c.Dunning != nil {
		policy := view.RenderDunning(*c.Dunning)
		out.Dunning = &policy
	}
	if c.OverduePolicy != nil {
		policy := view.RenderOverduePolicy(*c.OverduePolicy)
		out.OverduePolicy = &policy
	}
	out.Overdue = renderOverdue(c.Overdue)
	if c.PaymentDetails != (customer.PaymentDetails{}) {
		details := PaymentDetails(c.PaymentDetails)
		out.PaymentDetails = &details
	}
	return out
}

type createCustomerInput struct {
	Body CustomerForm
}

func (h *Handler) createCustomer(
	ctx context.Context, c *httpkit.Call, in *createCustomerInput,
) (*httpkit.Reply[Customer], error) {
	form, err := in.Body.customer()
	if err != nil {
		return nil, err
	}
	made := func(cust customer.Customer) httpkit.Made[Customer] {
		// A new customer has no credit, so none is read.
		return httpkit.Made[Customer]{Resource: renderCustomer(cust, nil), CustomerID: cust.ID}
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusCreated, made, func(keep func(*db.Tx, customer.Customer) error) error {
		_, err := h.service.CreateCustomer(ctx, usecase.Caller(c), form, keep)
		return err
	})
}

// credited is a customer with the balances.
type credited struct {
	customer.Customer
	credits []db.Credit
}

// anyCreditedWithKey also finds erased customers. Requests that may be repeats use it: a caller who lost the response
// of a deletion must get the stored one.
func (h *Handler) anyCreditedWithKey(ctx context.Context, hash []byte, customerID string) (db.APIKey, credited, error) {
	key, cust, credits, err := h.store.Customers.GetWithKey(ctx, hash, customerID)
	return key, credited{cust, credits}, err
}

// creditedWithKey finds customers that are not erased: the API does not show erased ones.
func (h *Handler) creditedWithKey(ctx context.Context, hash []byte, customerID string) (db.APIKey, credited, error) {
	key, found, err := h.anyCreditedWithKey(ctx, hash, customerID)
	if err == nil && !found.ErasedAt.IsZero() {
		err = httpkit.NotFound(db.ErrCustomerNotFound)
	}
	return key, found, err
}

func (h *Handler) getCustomer(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[Customer], error) {
	found := httpkit.Resource[credited](c)
	return httpkit.OK(renderCustomer(found.Customer, found.credits)), nil
}

type listCustomersInput struct {
	httpkit.Page
	Email       string `query:"email" maxLength:"254" example:"ada@example.com" doc:"Only customers with this address, case-insensitive."`
	TestClockID string `query:"testClockId" maxLength:"64" doc:"Only customers on this test clock."`
	State       string `query:"overdueState" maxLength:"40" example:"blocked" doc:"Only customers in this state of the overdue policy."`
	NeedsPerson bool   `query:"overdueNeedsPerson" doc:"true: only customers in a state of the overdue policy that asks for a person."`
}

func (h *Handler) listCustomers(
	ctx context.Context, c *httpkit.Call, in *listCustomersInput,
) (*httpkit.Reply[httpkit.List[Customer]], error) {
	page, err := in.DB(id.Customer, httpkit.Refers("testClockId", id.TestClock, in.TestClockID))
	if err != nil {
		return nil, err
	}
	if in.Email != "" {
		if err := customer.CheckEmail(in.Email); err != nil {
			return nil, err
		}
	}
	rows, more, err := h.store.Customers.List(ctx, c.EnvironmentID,
		db.CustomerFilter{
			Email: in.Email, TestClockID: in.TestClockID, OverdueState: in.State, NeedsPerson: in.NeedsPerson,
		}, page)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	// One query for the page instead of one per customer.
	credits, err := h.store.Customers.Credits(ctx, c.EnvironmentID, ids)
	return httpkit.ListOf(rows, more, err, func(row customer.Customer) Customer { return renderCustomer(row, credits) })
}

func (h *Handler) customerOperations() {
	example := Customer{
		ID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", Email: "ada@example.com", Name: "Ada Lovelace",
		TaxExempt: "none", Metadata: view.Metadata{},
		PaymentMethod: "card", DefaultMethod: "pm_01jcz6dyqx4w9s1c2k7v5h8m3n",
		PaymentDetails: &PaymentDetails{
			Provider: "stripe", CustomerToken: "cus_9s6XKzkNRiz8i3", PaymentMethodToken: "pm_1NVChw2eZvKYlo2C",
		},
		CreditBalance: []Credit{{Currency: "USD", Amount: 450}}, CreatedAt: 1763640000,
	}
	created := example
	created.CreditBalance = []Credit{}
	load := httpkit.LoadByID(h.kit, id.Customer, db.ErrCustomerNotFound, h.creditedWithKey)
	h.accessOperations(load)
	// A possible repeat finds an erased customer too: its stored response, or the fact of the erasure, precedes a refusal.
	loadAny := httpkit.LoadByID(h.kit, id.Customer, db.ErrCustomerNotFound, h.anyCreditedWithKey)
	h.balanceOperations(load, loadAny)
	h.taxIDOperations(loadAny, example)
	h.creditGrantOperations(load, loadAny)
	h.paymentMethodOperations(load, loadAny)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createCustomer", Method: http.MethodPost, Path: "/customers", Tag: "Customers",
		Summary: "Create a customer", Description: "Requires a contact: email, phone or paymentDetails.phoneNumber.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Response: created,
		Request: CustomerForm{
			Email: example.Email, Name: example.Name, PaymentMethod: "card", PaymentDetails: example.PaymentDetails,
		},
	}, h.createCustomer)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getCustomer", Method: http.MethodGet, Path: "/customers/{id}", Tag: "Customers",
		Summary: "Get a customer", Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load, Response: example,
	}, h.getCustomer)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listCustomers", Method: http.MethodGet, Path: "/customers", Tag: "Customers", Summary: "List customers",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: httpkit.List[Customer]{Data: []Customer{example}},
	}, h.listCustomers)
	name := "Ada King"
	renamed := example
	renamed.Name = name
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "updateCustomer", Method: http.MethodPatch, Path: "/customers/{id}", Tag: "Customers",
		Summary: "Update a customer",
		Description: "A new payment method is charged at once for invoices in collection, and recovers past-due " +
			"subscriptions. A method that is sent again unchanged is not: to try it once more, send POST " +
			"/api/payments with the subscriptionId.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: loadAny, Request: CustomerChange{Name: &name},
		Response: renamed,
	}, h.updateCustomer)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "deleteCustomer", Method: http.MethodDelete, Path: "/customers/{id}", Tag: "Customers",
		Summary: "Delete a customer",
		Description: "Erases the customer's personal and payment data now: nothing is charged any more. Within moments " +
			"after the response, the subscriptions are canceled, and metadata, reasons of cancellations and failed " +
			"payments, also in earlier events, and stored responses are erased. Transactions are kept for seven " +
			"years with the customer's id only.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Response: view.Deleted{ID: example.ID, Deleted: true},
		Load: loadAny,
	}, h.deleteCustomer)
}
