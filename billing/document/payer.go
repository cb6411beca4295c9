package document

import (
	"perennial/billing/customer"
	"perennial/billing/invoice"
	"perennial/billing/payment"
)

// PaidWith returns the payment method of a charge, as its payer knows it. methods are those that the customer has now.
func PaidWith(t payment.Transaction, methods []customer.Method) Method {
	by := MethodOf(t.Method)
	for _, m := range methods {
		if m.ID == t.PaymentMethodID && m.Type == by.Type && m.Card.LastFour != "" {
			by.Brand, by.LastFour = m.Card.Brand, m.Card.LastFour
		}
	}
	return by
}

// BuyerOf returns a customer as the buyer of a charge without an invoice, which froze none.
func BuyerOf(c customer.Customer) invoice.Buyer {
	return invoice.Buyer{
		Name: c.Name, Email: c.Email, Address: c.Address, Country: c.Country, Region: c.Region, Locale: c.Locale,
		TimeZone: c.TimeZone, TaxIDs: c.TaxIDs,
	}
}
