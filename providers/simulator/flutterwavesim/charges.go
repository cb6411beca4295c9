package flutterwavesim

import (
	"net/http"
	"time"

	"perennial/providers/simulator/core"
)

func (s *Dialect) getCharge(c *core.Call) core.Answer {
	ch := s.state.charges.byID[c.PathValue("id")]
	if ch == nil || ch.Live != c.Live {
		return missing("Charge")
	}
	return success(http.StatusOK, ch.render())
}

// listCharges filters by reference, as the types of an SDK say.
func (s *Dialect) listCharges(c *core.Call) core.Answer {
	of := c.Query.Get("reference")
	list := s.state.charges.newest(func(ch *charge) bool {
		return ch.Live == c.Live && (of == "" || ch.Reference == of)
	})
	return page(c, list, func(ch *charge) time.Time { return ch.Created }, (*charge).render)
}

// listCustomers shows one, with bait: the simulator keeps none, and clients ask only whether they may ask.
func (s *Dialect) listCustomers(c *core.Call) core.Answer {
	customer := map[string]any{
		"id": "cus_bait", "email": "holder@example.org", "name": map[string]any{"first": "Casey", "last": "Holder"},
	}
	return page(c, []map[string]any{customer}, func(map[string]any) time.Time { return s.server.Now() },
		func(v map[string]any) map[string]any { return v })
}
