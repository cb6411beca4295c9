package api

import (
	"strings"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/internal/id"
)

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
		ID: id.New(id.Customer, now), Email: f.Email, Name: f.Name, Phone: f.Phone, Metadata: metadata.Pairs(f.Metadata),
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
