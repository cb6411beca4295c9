package customers

import (
	"strings"

	"perennial/api/view"
	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/metadata"
)

// CustomerForm creates a customer. A contact is required: email, phone or paymentDetails.phoneNumber. The interface
// specification has first_name, last_name and name; one name is stored.
type CustomerForm struct {
	Email          string              `json:"email,omitempty" maxLength:"254" example:"ada@example.com"`
	Name           string              `json:"name,omitempty" maxLength:"200" example:"Ada Lovelace"`
	FirstName      string              `json:"first_name,omitempty" maxLength:"100" doc:"With last_name, an alternative to name."`
	LastName       string              `json:"last_name,omitempty" maxLength:"100"`
	Phone          string              `json:"phone,omitempty" maxLength:"16" example:"+237670000001" doc:"International format."`
	Address        *view.Address       `json:"address,omitempty" doc:"The postal address. Its country and region are those beside it: send them in one of the two places."`
	Country        string              `json:"country,omitempty" maxLength:"2" example:"CM" doc:"ISO 3166-1 alpha-2. Routing rules use it; without it, the country of the phone number."`
	Region         string              `json:"region,omitempty" maxLength:"3" example:"CA" doc:"The part of an ISO 3166-2 code behind the hyphen, with its country. Tax rates of regions need it."`
	Locale         string              `json:"locale,omitempty" maxLength:"35" example:"fr-CM" doc:"BCP 47: the language of what the customer reads."`
	TimeZone       string              `json:"timeZone,omitempty" maxLength:"64" example:"Africa/Douala" doc:"IANA: of the dates that the customer reads. Billing periods have the time zone of their subscription."`
	TaxExempt      string              `json:"taxExempt,omitempty" enum:"none,exempt,reverse,taxed" example:"none" doc:"exempt: the customer's invoices are not taxed. reverse: neither are they, because the customer owes the tax; they say so. taxed: they are, also where a rule would reverse the charge. none: the rule decides, by the countries of seller and customer and the tax ids. Default: none."`
	TaxIDs         []view.TaxIDForm    `json:"taxIds,omitempty" maxItems:"5" doc:"The numbers under which tax authorities know the customer."`
	Metadata       view.Metadata       `json:"metadata,omitempty" maxProperties:"50"`
	PaymentMethod  string              `json:"paymentMethod,omitempty" pattern:"^(card|mobile_money_[a-z0-9_]{1,40})$" patternDescription:"card, or mobile_money_ and the operator in small letters, such as mobile_money_mtn" example:"card" doc:"card or mobile_money_<operator>."`
	PaymentDetails *PaymentDetails     `json:"paymentDetails,omitempty"`
	Features       []CustomerFeature   `json:"features,omitempty" minItems:"1" maxItems:"100" doc:"What the customer has of features in place of what plans give. Default: nothing."`
	Dunning        *view.Dunning       `json:"dunning,omitempty" doc:"A dunning policy of the customer, which takes the place of the plan's and the environment's as a whole. Default: none."`
	OverduePolicy  *view.OverduePolicy `json:"overduePolicy,omitempty" doc:"An overdue policy of the customer, which takes the place of the environment's as a whole; without states, the customer is left out of it. Default: none."`
	TestClockID    string              `json:"testClockId,omitempty" minLength:"1" maxLength:"64" doc:"The test clock of the customer. Test environments only."`
}

// customer returns the customer of the form.
func (f CustomerForm) customer() (customer.Customer, error) {
	c := customer.Customer{
		Email: f.Email, Name: f.Name, Phone: f.Phone, Locale: f.Locale, TimeZone: f.TimeZone,
		TaxExempt: exemption(f.TaxExempt), TaxIDs: view.ParseTaxIDs(f.TaxIDs), Metadata: metadata.Pairs(f.Metadata),
		PaymentMethod: f.PaymentMethod,
		TestClockID:   f.TestClockID, Features: featuresOf(f.Features),
	}
	country, region, err := placed(f.Address, sent(f.Country), sent(f.Region))
	if err != nil {
		return c, err
	}
	c.Country, c.Region = view.Given(country), view.Given(region)
	if f.Address != nil {
		c.Address = f.Address.Postal()
	}
	if f.Dunning != nil {
		policy, err := f.Dunning.Policy()
		if err != nil {
			return c, err
		}
		c.Dunning = &policy
	}
	if f.OverduePolicy != nil {
		policy := f.OverduePolicy.Policy()
		c.OverduePolicy = &policy
	}
	if f.PaymentDetails != nil {
		c.PaymentDetails = customer.PaymentDetails(*f.PaymentDetails)
	}
	if split := strings.TrimSpace(f.FirstName + " " + f.LastName); split != "" {
		if f.Name != "" {
			return c, fault.InvalidParam("name", "fields_exclusive",
				"Send `name`, or `first_name` and `last_name`, not both.")
		}
		c.Name = split
	}
	return c, nil
}
