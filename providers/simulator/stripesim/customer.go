package stripesim

import (
	"net/http"
	"time"

	"perennial/providers/simulator/core"
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
func createCustomer(s *Dialect, c *core.Call) core.Answer {
	cus := &customer{ID: newID("cus_"), Created: s.server.Now().UTC(), Live: c.Live, Metadata: metadata(input(c))}
	a := ok(cus.render())
	a.Effect, a.Remember = &core.Effect{Kind: customerCreated, Change: &record{Customer: cus}}, true
	return a
}

func getCustomer(s *Dialect, c *core.Call) core.Answer {
	cus := s.state.customers[c.PathValue("id")]
	if cus == nil || cus.Live != c.Live {
		return missing(http.StatusNotFound, "id", "customer", c.PathValue("id"))
	}
	return ok(cus.render())
}

// attachCard gives the customer a payment method of its own that behaves like the test card it was made from. As at
// Stripe, cards that always decline are declined already here, except those made to fail later.
func attachCard(s *Dialect, c *core.Call) core.Answer {
	token, owner := c.PathValue("id"), input(c).Get("customer")
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
		"id": attached.Token, "object": "payment_method", "customer": owner, "livemode": c.Live, "type": "card",
		"card": map[string]any{"brand": "visa", "exp_month": 8, "exp_year": 2031, "last4": "4242"},
	})
	a.Effect, a.Remember = &core.Effect{Kind: cardChanged, Change: &record{Card: &attached}}, true
	return a
}

// stored returns the card of a path. Those that everybody may charge count as attached, as if the client had done so.
func (s *Dialect) stored(c *core.Call) (card, *core.Answer) {
	token := c.PathValue("id")
	own, known := s.state.cards[token]
	if _, builtIn := behaviourNamed(token); !known && !builtIn {
		a := missing(http.StatusNotFound, "payment_method", "PaymentMethod", token)
		return card{}, &a
	}
	if !known {
		own = card{Token: token, Behaviour: token}
	}
	return own, nil
}

func (c card) render(live bool) map[string]any {
	shown := map[string]any{"id": c.Token, "object": "payment_method", "customer": "cus_any", "livemode": live, "type": "card"}
	switch {
	case c.Detached:
		shown["customer"] = nil
	case c.Owner != "":
		shown["customer"] = c.Owner
	}
	return shown
}

func getCard(s *Dialect, c *core.Call) core.Answer {
	own, refused := s.stored(c)
	if refused != nil {
		return *refused
	}
	return ok(own.render(c.Live))
}

// detachCard takes a card from its customer for ever. A second time it is refused as Stripe does it, without a code.
func detachCard(s *Dialect, c *core.Call) core.Answer {
	own, refused := s.stored(c)
	switch {
	case refused != nil:
		return *refused
	case own.Detached:
		return invalid(http.StatusBadRequest, "", "",
			"The payment method you provided is not attached to a customer so detachment is impossible.")
	}
	own.Detached, own.Owner = true, ""
	a := ok(own.render(c.Live))
	a.Effect = &core.Effect{Kind: cardChanged, Change: &record{Card: &own}}
	return a
}
