package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
)

// Customer is who pays.
type Customer struct {
	ID             string          `json:"id" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Email          string          `json:"email,omitempty" example:"ada@example.com"`
	Name           string          `json:"name,omitempty" example:"Ada Lovelace"`
	Phone          string          `json:"phone,omitempty" example:"+237670000001"`
	Metadata       Metadata        `json:"metadata"`
	PaymentMethod  string          `json:"paymentMethod,omitempty" example:"card" doc:"card or mobile_money_<operator>; absent: none."`
	PaymentDetails *PaymentDetails `json:"paymentDetails,omitempty"`
	TestClockID    string          `json:"testClockId,omitempty" doc:"The test clock this customer lives on."`
	CreatedAt      int64           `json:"createdAt" example:"1763640000" doc:"Unix seconds."`
}

// PaymentDetails say how to reach the money: a provider's tokens, or a phone number. Card numbers are refused.
type PaymentDetails struct {
	PhoneNumber        string `json:"phoneNumber,omitempty" maxLength:"16" example:"+237670000001" doc:"International format; for mobile money."`
	Provider           string `json:"provider,omitempty" maxLength:"40" example:"stripe" doc:"Identifier of the payment provider."`
	CustomerToken      string `json:"customerToken,omitempty" maxLength:"255" example:"cus_9s6XKzkNRiz8i3" doc:"The provider's id of the customer."`
	PaymentMethodToken string `json:"paymentMethodToken,omitempty" maxLength:"255" example:"pm_1NVChw2eZvKYlo2C" doc:"The provider's id of the saved method."`
}

func renderCustomer(c customer.Customer) Customer {
	out := Customer{
		ID: c.ID, Email: c.Email, Name: c.Name, Phone: c.Phone, Metadata: shown(c.Metadata), PaymentMethod: c.PaymentMethod,
		TestClockID: c.TestClockID, CreatedAt: unix(c.CreatedAt),
	}
	if c.PaymentDetails != (customer.PaymentDetails{}) {
		details := PaymentDetails(c.PaymentDetails)
		out.PaymentDetails = &details
	}
	return out
}

type createCustomerInput struct {
	Body CustomerForm
}

// CustomerForm creates a customer. One of email, phone and paymentDetails.phoneNumber is needed, to reach them by.
type CustomerForm struct {
	Email          string          `json:"email,omitempty" maxLength:"254" example:"ada@example.com"`
	Name           string          `json:"name,omitempty" maxLength:"200" example:"Ada Lovelace"`
	FirstName      string          `json:"first_name,omitempty" maxLength:"100" doc:"With last_name another way to say name."`
	LastName       string          `json:"last_name,omitempty" maxLength:"100"`
	Phone          string          `json:"phone,omitempty" maxLength:"16" example:"+237670000001" doc:"International format."`
	Metadata       Metadata        `json:"metadata,omitempty" maxProperties:"50"`
	PaymentMethod  string          `json:"paymentMethod,omitempty" pattern:"^(card|mobile_money_[a-z0-9_]{1,40})$" example:"card" doc:"card or mobile_money_<operator>."`
	PaymentDetails *PaymentDetails `json:"paymentDetails,omitempty"`
	TestClockID    string          `json:"testClockId,omitempty" maxLength:"64" doc:"Put the customer on this test clock; test environments only."`
}

func (s *Server) customer(f CustomerForm) (customer.Customer, error) {
	now := s.now()
	c := customer.Customer{
		ID: id.New(id.Customer, now), Email: f.Email, Name: f.Name, Phone: f.Phone, Metadata: f.Metadata,
		PaymentMethod: f.PaymentMethod, TestClockID: f.TestClockID, CreatedAt: now, Revision: 1,
	}
	if f.PaymentDetails != nil {
		c.PaymentDetails = customer.PaymentDetails(*f.PaymentDetails)
	}
	if split := strings.TrimSpace(f.FirstName + " " + f.LastName); split != "" {
		if f.Name != "" {
			return c, fault.InvalidParam("name", "fields_exclusive", "send name, or first_name and last_name, not both")
		}
		c.Name = split
	}
	return c, checkCustomer(c)
}

// checkCustomer holds what is true of every customer, new or changed.
func checkCustomer(c customer.Customer) error {
	if c.Email == "" && c.Phone == "" && c.PaymentDetails.PhoneNumber == "" {
		return fault.InvalidParam("email", "field_missing", "a customer needs an email, a phone or a paymentDetails.phoneNumber")
	}
	if c.Email != "" {
		if err := checkEmail(c.Email); err != nil {
			return err
		}
	}
	if c.Phone != "" {
		if err := checkPhone("phone", c.Phone); err != nil {
			return err
		}
	}
	if err := Metadata(c.Metadata).check(); err != nil {
		return err
	}
	return checkMethod(c)
}

func checkMethod(c customer.Customer) error {
	d := c.PaymentDetails
	if d.PhoneNumber != "" {
		if err := checkPhone("paymentDetails.phoneNumber", d.PhoneNumber); err != nil {
			return err
		}
	}
	for param, token := range map[string]string{
		"paymentDetails.customerToken": d.CustomerToken, "paymentDetails.paymentMethodToken": d.PaymentMethodToken,
	} {
		if isCardNumber(token) {
			return fault.InvalidParam(param, "card_number_refused", "never send a card number; send the token your payment provider gave you for it")
		}
	}
	switch {
	case c.PaymentMethod == "" && d != (customer.PaymentDetails{}):
		return fault.InvalidParam("paymentMethod", "field_missing", "paymentDetails need a paymentMethod")
	case c.PaymentMethod == "card" && d.PaymentMethodToken == "":
		return fault.InvalidParam("paymentDetails.paymentMethodToken", "field_missing", "a card needs the token your payment provider gave you for it")
	case strings.HasPrefix(c.PaymentMethod, "mobile_money_") && d.PhoneNumber == "":
		return fault.InvalidParam("paymentDetails.phoneNumber", "field_missing", "mobile money needs a phone number")
	}
	return nil
}

// isCardNumber recognises 13 to 19 digits with a right check digit (Luhn), however they are grouped.
func isCardNumber(s string) bool {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(s)
	if len(digits) < 13 || len(digits) > 19 || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

func (s *Server) createCustomer(ctx context.Context, c *call, in *createCustomerInput) (*reply[Customer], error) {
	cust, err := s.customer(in.Body)
	if err != nil {
		return nil, err
	}
	if cust.TestClockID != "" {
		if err := testModeOnly(c, "testClockId"); err != nil {
			return nil, err
		}
	}
	return create(ctx, s, c, http.StatusCreated, directly(func(tx *db.Tx) (made[Customer], error) {
		var err error
		if cust.CreatedAt, err = s.lockClock(ctx, tx, c.environmentID, cust.TestClockID); err != nil {
			return made[Customer]{}, inParam(err, "testClockId")
		}
		if err := tx.InsertCustomer(ctx, c.environmentID, cust); err != nil {
			return made[Customer]{}, err
		}
		return made[Customer]{renderCustomer(cust), cust.ID}, tx.Emit(ctx, c.environmentID, event.Event{
			Type: event.CustomerCreated, ObjectID: cust.ID, CustomerID: cust.ID, Data: map[string]any{"id": cust.ID}, OccurredAt: cust.CreatedAt,
		})
	}))
}

// customerWithKey finds customers that are not erased: to the API the others are gone.
func (s *Server) customerWithKey(ctx context.Context, hash []byte, customerID string) (db.APIKey, customer.Customer, error) {
	key, cust, err := s.store.CustomerWithKey(ctx, hash, customerID)
	if err == nil && !cust.ErasedAt.IsZero() {
		err = notFound("customer_not_found")
	}
	return key, cust, err
}

func (s *Server) getCustomer(_ context.Context, c *call, _ *ByID) (*reply[Customer], error) {
	return ok(renderCustomer(resource[customer.Customer](c))), nil
}

type listCustomersInput struct {
	Page
	TestClockID string `query:"testClockId" maxLength:"64" doc:"Only customers on this test clock."`
}

func (s *Server) listCustomers(ctx context.Context, c *call, in *listCustomersInput) (*reply[List[Customer]], error) {
	page, err := in.db()
	if err != nil {
		return nil, err
	}
	rows, more, err := s.store.Customers(ctx, c.environmentID, db.CustomerFilter{TestClockID: in.TestClockID}, page)
	return list(rows, more, err, renderCustomer)
}

type updateCustomerInput struct {
	ByID
	Body CustomerChange
}

// CustomerChange changes the fields that are sent and leaves the others. An empty text takes a field away. paymentMethod
// and paymentDetails belong together: sending either replaces both.
type CustomerChange struct {
	Email          *string         `json:"email,omitempty" maxLength:"254" example:"ada@example.com"`
	Name           *string         `json:"name,omitempty" maxLength:"200" example:"Ada King"`
	Phone          *string         `json:"phone,omitempty" maxLength:"16" example:"+237670000001"`
	Metadata       *Metadata       `json:"metadata,omitempty" maxProperties:"50" doc:"Replaces all metadata."`
	PaymentMethod  *string         `json:"paymentMethod,omitempty" pattern:"^(|card|mobile_money_[a-z0-9_]{1,40})$" example:"card"`
	PaymentDetails *PaymentDetails `json:"paymentDetails,omitempty"`
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
		c.Metadata, changed = *f.Metadata, append(changed, "metadata")
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

func (s *Server) updateCustomer(ctx context.Context, c *call, in *updateCustomerInput) (*reply[Customer], error) {
	var wake []string
	out, err := create(ctx, s, c, http.StatusOK, directly(func(tx *db.Tx) (made[Customer], error) {
		cust, err := tx.LockCustomer(ctx, c.environmentID, in.ID)
		if err != nil {
			return made[Customer]{}, err
		}
		wake, err = s.changeCustomer(ctx, tx, c, &cust, in.Body)
		return made[Customer]{renderCustomer(cust), cust.ID}, err
	}))
	if err != nil {
		return nil, err
	}
	s.wake(ctx, c.environmentID, wake)
	return out, nil
}

// changeCustomer answers the subscriptions that have to hear of a new payment method.
func (s *Server) changeCustomer(ctx context.Context, tx *db.Tx, c *call, cust *customer.Customer, f CustomerChange) (wake []string, err error) {
	if !cust.ErasedAt.IsZero() {
		return nil, notFound("customer_not_found")
	}
	changed, methodChanged := f.apply(cust)
	if err := checkCustomer(*cust); err != nil {
		return nil, err
	}
	if len(changed) == 0 {
		return nil, nil
	}
	now, err := customerNow(ctx, tx.Reader, c.environmentID, *cust, s.now())
	if err != nil {
		return nil, err
	}
	if err := tx.UpdateCustomer(ctx, c.environmentID, *cust); err != nil {
		return nil, err
	}
	if methodChanged {
		if wake, err = tx.MarkMethodChanged(ctx, c.environmentID, cust.ID); err != nil {
			return nil, err
		}
	}
	return wake, tx.Emit(ctx, c.environmentID, event.Event{
		Type: event.CustomerUpdated, ObjectID: cust.ID, CustomerID: cust.ID,
		Data: map[string]any{"id": cust.ID, "changed": changed}, OccurredAt: now,
	})
}

// wake tells subscriptions' workflows to look at their rows. Best effort: the reconciler repeats what is lost here.
func (s *Server) wake(ctx context.Context, environmentID string, subscriptionIDs []string) {
	if len(subscriptionIDs) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	for _, subscriptionID := range subscriptionIDs {
		s.bestEffort(ctx, "wake", subscriptionID, s.engine.Wake(ctx, contract.Ref{EnvironmentID: environmentID, ID: subscriptionID}))
	}
}

func (s *Server) customerOperations() {
	example := Customer{
		ID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", Email: "ada@example.com", Name: "Ada Lovelace", Metadata: Metadata{}, PaymentMethod: "card",
		PaymentDetails: &PaymentDetails{Provider: "stripe", CustomerToken: "cus_9s6XKzkNRiz8i3", PaymentMethodToken: "pm_1NVChw2eZvKYlo2C"},
		CreatedAt:      1763640000,
	}
	load := byID(s, id.Customer, "customer_not_found", s.customerWithKey)
	register(s, operation{
		name: "createCustomer", method: http.MethodPost, path: "/customers", tag: "Customers", summary: "Create a customer",
		status: http.StatusCreated, access: writeAccess, response: example,
		request: CustomerForm{Email: example.Email, Name: example.Name, PaymentMethod: "card", PaymentDetails: example.PaymentDetails},
	}, s.createCustomer)
	register(s, operation{
		name: "getCustomer", method: http.MethodGet, path: "/customers/{id}", tag: "Customers", summary: "Get a customer",
		status: http.StatusOK, access: readAccess, load: load, response: example,
	}, s.getCustomer)
	register(s, operation{
		name: "listCustomers", method: http.MethodGet, path: "/customers", tag: "Customers", summary: "List customers",
		status: http.StatusOK, access: readAccess, response: List[Customer]{Data: []Customer{example}},
	}, s.listCustomers)
	name := "Ada King"
	register(s, operation{
		name: "updateCustomer", method: http.MethodPatch, path: "/customers/{id}", tag: "Customers", summary: "Change a customer",
		description: "A new payment method is used at once for invoices that are in collection, and recovers subscriptions that are past due.",
		status:      http.StatusOK, access: writeAccess, load: load, request: CustomerChange{Name: &name}, response: example,
	}, s.updateCustomer)
	register(s, operation{
		name: "deleteCustomer", method: http.MethodDelete, path: "/customers/{id}", tag: "Customers", summary: "Delete a customer",
		description: "Cancels the customer's subscriptions at once and erases personal and payment data. Transactions are kept for seven years, under the customer's id alone.",
		status:      http.StatusOK, access: writeAccess, response: Deleted{ID: example.ID, Deleted: true},
		load: byID(s, id.Customer, "customer_not_found", s.store.CustomerWithKey), // a repeat finds the erased one
	}, s.deleteCustomer)
}
