package adyensim

import (
	"net/http"

	"perennial/providers/simulator/core"
)

// removeCard deletes the token of a shopper's card: it behaves from then on as one that was never stored.
func (d *Dialect) removeCard(c *core.Call) core.Answer {
	token, shopper := c.PathValue("id"), c.Query.Get("shopperReference")
	if refused := d.account(c.Query.Get("merchantAccount")); refused != nil {
		return *refused
	}
	if len(shopper) < 3 {
		return invalid("14_012", "Required field 'shopperReference' is missing or invalid.")
	}
	name := shopper + " " + token
	behaviour := token
	if scripted, known := d.state.scripts[name]; known {
		behaviour = scripted
	} else if scripted, known := d.state.scripts[token]; known {
		behaviour = scripted
	}
	if b, known := behaviourNamed(behaviour); !known || b.missing {
		return invalid("803", "PaymentDetail not found")
	}
	return core.Answer{
		Status: http.StatusNoContent, Effect: changed("script", &record{Script: &script{Name: name, Behaviour: missingCard}}),
	}
}

// missingCard is the behaviour of a card that is not stored.
const missingCard = "SIM_MISSING"
