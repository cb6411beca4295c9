package stripesim

import (
	"net/http"
	"regexp"
	"slices"

	"perennial/providers/simulator/core"
)

// find gives the intent if it exists in the key's mode.
func (s *Dialect) find(c *core.Call) (*intent, *core.Answer) {
	id := c.PathValue("id")
	if pi := s.state.intents[id]; pi != nil && pi.Live == c.Live {
		return pi, nil
	}
	return nil, refuse(missing(http.StatusNotFound, "intent", "payment_intent", id))
}

func getIntent(s *Dialect, c *core.Call) core.Answer {
	pi, refused := s.find(c)
	if refused != nil {
		return *refused
	}
	return ok(pi.render())
}

// cancelable lists the statuses Stripe cancels from. Processing is not among them: that money is on its way.
var cancelable = []string{requiresPaymentMethod, requiresConfirmation, requiresAction}

func cancelIntent(s *Dialect, c *core.Call) core.Answer {
	pi, refused := s.find(c)
	if refused != nil {
		return *refused
	}
	if !slices.Contains(cancelable, pi.Status) {
		a := invalid(http.StatusBadRequest, "payment_intent_unexpected_state", "",
			"You cannot cancel this PaymentIntent because it has a status of %s.", pi.Status)
		return a
	}
	next, now := *pi, s.server.Now().UTC()
	next.Status, next.CanceledAt, next.CancellationReason = statusCanceled, &now, input(c).Get("cancellation_reason")
	a := ok(next.render())
	a.Effect, a.Remember = effect(core.Canceled, &record{Intent: &next},
		s.event("payment_intent.canceled", next.Live, next.render(), false)), true
	return a
}

// byMetadata is the one query the simulator understands.
var byMetadata = regexp.MustCompile(`^metadata\[['"]txn_id['"]\]:(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")$`)

func searchIntents(s *Dialect, c *core.Call) core.Answer {
	m := byMetadata.FindStringSubmatch(input(c).Get("query"))
	if m == nil {
		return invalid(http.StatusBadRequest, "", "query", "The simulator searches by metadata['txn_id'] only.")
	}
	txn := regexp.MustCompile(`\\(.)`).ReplaceAllString(m[1]+m[2], "$1")
	visible := s.server.Now().Add(-s.config.SearchLag)
	found := []any{}
	for _, id := range slices.Backward(s.state.byTransaction[txn]) { // newest first, as Stripe does
		pi := s.state.intents[id]
		if pi.Live == c.Live && !pi.Created.After(visible) {
			found = append(found, pi.render())
		}
	}
	return ok(map[string]any{
		"object": "search_result", "url": "/v1/payment_intents/search", "has_more": false, "next_page": nil,
		"data": found[:min(len(found), limit(c))],
	})
}

// limit returns the page size: by default 10, at most 100.
func limit(c *core.Call) int {
	n := number(input(c), "limit")
	if !input(c).Has("limit") {
		n = 10
	}
	return int(min(max(n, 1), 100))
}
