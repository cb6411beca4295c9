package flutterwave

import (
	"regexp"

	"perennial/providers"
)

// mailDomain is reserved for documentation (RFC 2606) and takes no mail. Flutterwave's own samples use it.
const mailDomain = "example.com"

// mobileRequest creates a customer, a payment method and a charge at once.
type mobileRequest struct {
	chargeFields
	Customer      customer     `json:"customer"`
	PaymentMethod mobileMethod `json:"payment_method"`
}

type customer struct {
	Email string `json:"email"`
	Name  struct {
		First string `json:"first"`
		Last  string `json:"last"`
	} `json:"name"`
	Phone phone `json:"phone"`
}

type phone struct {
	CountryCode string `json:"country_code"`
	Number      string `json:"number"`
}

type mobileMethod struct {
	Type        string `json:"type"`
	MobileMoney wallet `json:"mobile_money"`
}

type wallet struct {
	CountryCode string `json:"country_code"`
	Network     string `json:"network"`
	PhoneNumber string `json:"phone_number"`
}

func mobileMoneyCharge(in providers.ChargeRequest, operator string, common chargeFields) (mobileRequest, error) {
	n, err := splitNumber(in.Method.PhoneNumber)
	if err != nil {
		return mobileRequest{}, err
	}
	if err := n.checkCurrency(in.Currency); err != nil {
		return mobileRequest{}, err
	}
	return mobileRequest{
		chargeFields: common,
		Customer:     nobody(in.TransactionID, n),
		PaymentMethod: mobileMethod{Type: "mobile_money", MobileMoney: wallet{
			CountryCode: n.country, Network: network(operator), PhoneNumber: n.national,
		}},
	}, nil
}

var mailbox = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// nobody returns a customer without data of the payer, for whom Flutterwave requires a name and an e-mail address: the
// address is made from the transaction and receives no mail, and the name is the same for all. The phone number is in
// the request anyway.
func nobody(transactionID string, n number) customer {
	c := customer{
		Email: mailbox.ReplaceAllString(transactionID, "-") + "@" + mailDomain,
		Phone: phone{CountryCode: n.country, Number: n.national},
	}
	c.Name.First, c.Name.Last = "Subscription", "Customer"
	return c
}
