package flutterwavesim

import (
	"slices"
	"strings"

	"perennial/providers/simulator/core"
)

type mobileRequest struct {
	chargeFields
	Customer struct {
		Email string `json:"email"`
		Name  struct {
			First string `json:"first"`
			Last  string `json:"last"`
		} `json:"name"`
		Phone struct {
			CountryCode string `json:"country_code"`
			Number      string `json:"number"`
		} `json:"phone"`
	} `json:"customer"`
	PaymentMethod struct {
		Type        string `json:"type"`
		MobileMoney struct {
			CountryCode string `json:"country_code"`
			Network     string `json:"network"`
			PhoneNumber string `json:"phone_number"`
		} `json:"mobile_money"`
	} `json:"payment_method"`
}

// country is one whose mobile money is imitated.
type country struct {
	iso      string
	currency string
	networks []string
}

// countries are by calling code. Only MTN is a name that Flutterwave documents.
var countries = map[string]country{
	"221": {"SN", "XOF", []string{"ORANGE", "FREE", "WAVE"}},
	"225": {"CI", "XOF", []string{"MTN", "MOOV", "ORANGE", "WAVE"}},
	"233": {"GH", "GHS", []string{"MTN", "VODAFONE", "AIRTELTIGO"}},
	"237": {"CM", "XAF", []string{"MTN", "ORANGE"}},
	"250": {"RW", "RWF", []string{"MTN", "AIRTEL"}},
	"254": {"KE", "KES", []string{"MPESA", "AIRTEL"}},
	"255": {"TZ", "TZS", []string{"AIRTEL", "TIGO", "VODACOM", "HALOPESA"}},
	"256": {"UG", "UGX", []string{"MTN", "AIRTEL"}},
	"260": {"ZM", "ZMW", []string{"MTN", "AIRTEL", "ZAMTEL"}},
	"265": {"MW", "MWK", []string{"AIRTEL", "TNM"}},
}

// chargeMobile makes a customer, a payment method and a charge at once, and sends the prompt.
func (s *Dialect) chargeMobile(c *core.Call) core.Answer {
	in := c.Input.(*mobileRequest) //nolint:forcetypeassert // readBody made it
	ch, refused := s.begin(c, in.chargeFields)
	if refused != nil {
		return *refused
	}
	wallet := in.PaymentMethod.MobileMoney
	at, known := countries[wallet.CountryCode]
	digits := wallet.PhoneNumber
	switch {
	case in.PaymentMethod.Type != "mobile_money":
		return invalid("payment_method.type", "must be mobile_money: nothing else is imitated here")
	case !strings.Contains(in.Customer.Email, "@") || in.Customer.Name.First == "" || in.Customer.Name.Last == "":
		return invalid("customer", "needs an email and a name")
	case !known || len(digits) < 6 || strings.Trim(digits, "0123456789") != "":
		return invalid("payment_method.mobile_money.phone_number", "is not a number of a country with mobile money")
	case !slices.Contains(at.networks, wallet.Network):
		return invalid("payment_method.mobile_money.network", "is not a network of the country")
	case at.currency != in.Currency:
		return invalid("currency", "is not the country's")
	}
	ch.Method, ch.Network, ch.Customer, ch.Next = "mobile_money", wallet.Network, newID("cus_"), "payment_instruction"
	b, found := s.state.scriptOf("", wallet.CountryCode+digits)
	if !found {
		b = suffixes[digits[len(digits)-3:]]
	}
	b = b.withScenario(c.Header.Get("X-Scenario-Key"))
	if wallet.Network == "WAVE" { // its payers confirm in an app that a page opens
		b = behaviour{pending: true, next: "redirect_url"}
	}
	if b.refuse {
		return overloaded()
	}
	if b.next != "" {
		ch.Next = b.next
	}
	ch.Refunds = b.refunds
	s.prompt(ch, b)
	return s.answer(ch, b)
}

// prompt decides how the payer reacts.
func (s *Dialect) prompt(ch *charge, b behaviour) {
	if b.pending {
		s.settleLater(ch, b)
		return
	}
	at := s.server.Now().UTC().Add(s.config.PromptAfter)
	ch.SettleAt, ch.SettleTo = &at, "approved"
	if b.declined != "" {
		ch.SettleTo = b.declined
	}
}

// listNetworks lists the networks of a country.
func listNetworks(c *core.Call) core.Answer {
	data := []any{}
	for _, at := range countries {
		if at.iso != c.Query.Get("country") {
			continue
		}
		for _, name := range at.networks {
			data = append(data, map[string]any{"id": "mbn_" + at.iso + name, "network": name, "name": name, "country": at.iso})
		}
	}
	return success(200, data)
}
