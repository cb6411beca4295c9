package simulator

import (
	"net/http"
	"time"
)

// customer is barely one: any cus_… can be charged, but a client that creates its customers first may.
type customer struct {
	ID       string            `json:"id"`
	Created  time.Time         `json:"created"`
	Live     bool              `json:"live"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

var customerParams = params{"description": text, "email": text, "metadata[]": text, "name": text, "phone": text}

func (c *customer) render() map[string]any {
	return map[string]any{
		"id": c.ID, "object": "customer", "created": c.Created.Unix(), "livemode": c.Live, "metadata": orEmpty(c.Metadata),
	}
}

// createCustomer forgets name and address at once: the ledger is no place for personal data.
func createCustomer(s *Server, c call) answer {
	cus := &customer{ID: newID("cus_"), Created: s.config.Now().UTC(), Live: c.live, Metadata: metadata(c.params)}
	a := ok(cus.render())
	a.record, a.remember = &record{Kind: customerCreated, Customer: cus}, true
	return a
}

func getCustomer(s *Server, c call) answer {
	cus := s.state.customers[c.path("id")]
	if cus == nil || cus.Live != c.live {
		return missing(http.StatusNotFound, "id", "customer", c.path("id"))
	}
	return ok(cus.render())
}

// attachCard gives the customer a payment method of its own that behaves like the test card it was made from. As at
// Stripe, cards that always decline are declined already here, except those made to fail later.
func attachCard(s *Server, c call) answer {
	token, owner := c.path("id"), c.params.Get("customer")
	if owner == "" {
		return invalid(http.StatusBadRequest, "parameter_missing", "customer", "Missing required param: customer.")
	}
	b, refused := s.state.behaviourOf(owner, token)
	if refused != nil {
		return *refused
	}
	if b.unattached {
		return refusal(http.StatusPaymentRequired, *b.decline)
	}
	attached := card{Token: newID("pm_"), Behaviour: token, Owner: owner}
	if own, scripted := s.state.cards[token]; scripted {
		attached.Behaviour = own.Behaviour
	}
	a := ok(map[string]any{
		"id": attached.Token, "object": "payment_method", "customer": owner, "livemode": c.live, "type": "card",
		"card": map[string]any{"brand": "visa", "exp_month": 8, "exp_year": 2031, "last4": "4242"},
	})
	a.record, a.remember = &record{Kind: cardChanged, Card: &attached}, true
	return a
}
