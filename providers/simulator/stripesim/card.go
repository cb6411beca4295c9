package stripesim

import (
	"net/http"
	"strings"

	"perennial/providers/simulator/core"
)

// card is a script (this token, or this customer, shall behave so) or a payment method attached to a customer.
type card struct {
	Token     string `json:"token"`              // pm_… or cus_…
	Behaviour string `json:"behaviour"`          // empty removes the script
	Scope     string `json:"scope,omitempty"`    // the script holds for this customer only
	Owner     string `json:"owner,omitempty"`    // attached to this customer: nobody else may charge it
	Detached  bool   `json:"detached,omitempty"` // it was attached, and is good for nothing any more
}

func (c card) name() string { return scriptName(c.Scope, c.Token) }

func scriptName(customer, token string) string {
	if customer == "" {
		return token
	}
	return customer + "/" + token
}

// behaviourOf returns the behaviour of a charge of token for customer. A script for both wins over one for the
// customer, that over one for the token, that over the token's own name. A token that has neither script nor known name
// does not exist.
func (st *state) behaviourOf(customer, token string) (behaviour, *core.Answer) {
	if strings.HasPrefix(customer, "cus_missing") || (customer != "" && !strings.HasPrefix(customer, "cus_")) {
		a := missing(http.StatusBadRequest, "customer", "customer", customer)
		return behaviour{}, &a
	}
	own, known := st.cards[token]
	b, builtIn := behaviourNamed(token)
	switch {
	case !known && !builtIn:
		a := missing(http.StatusBadRequest, "payment_method", "PaymentMethod", token)
		return behaviour{}, &a
	case own.Detached:
		a := invalid(http.StatusBadRequest, "", "payment_method",
			"The provided PaymentMethod was detached from a Customer. It may not be used again.")
		return behaviour{}, &a
	case own.Owner != "" && own.Owner != customer:
		a := invalid(http.StatusBadRequest, "resource_missing", "payment_method",
			"The customer does not have a payment method with the ID %s. The payment method must be attached to the "+
				"customer.", token)
		return behaviour{}, &a
	}
	for _, name := range []string{scriptName(customer, token), customer, token} {
		if c, scripted := st.cards[name]; scripted {
			b, _ = behaviourNamed(c.Behaviour) // checked when the script was set
			break
		}
	}
	return b, nil
}
