package stripesim

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"

	"perennial/providers/simulator/core"
)

var (
	cancelParams  = params{"cancellation_reason": oneOf("abandoned", "duplicate", "fraudulent", "requested_by_customer")}
	confirmParams = params{"payment_method": text, "return_url": text}
	listParams    = params{"limit": integer, "payment_intent": text, "starting_after": text}
)

// Endpoints is all of Stripe that the simulator imitates.
func (s *Dialect) Endpoints() map[string]core.Endpoint {
	list := map[string]core.Endpoint{
		"GET /v1/balance": s.endpoint(nil, getBalance),

		"POST /v1/customers":                    s.endpoint(customerParams, createCustomer),
		"GET /v1/customers/{id}":                s.endpoint(nil, getCustomer),
		"POST /v1/payment_methods/{id}/attach":  s.endpoint(params{"customer": text}, attachCard),
		"POST /v1/payment_methods/{id}/detach":  s.endpoint(nil, detachCard),
		"GET /v1/payment_methods/{id}":          s.endpoint(nil, getCard),
		"GET /v1/payment_intents/search":        s.endpoint(params{"query": text, "limit": integer}, searchIntents),
		"GET /v1/payment_intents/{id}":          s.endpoint(nil, getIntent),
		"POST /v1/payment_intents/{id}/cancel":  s.endpoint(cancelParams, cancelIntent),
		"POST /v1/payment_intents/{id}/confirm": s.endpoint(confirmParams, confirmIntent),
		"POST /v1/refunds":                      s.endpoint(refundParams, createRefund),
		"GET /v1/refunds":                       s.endpoint(listParams, listRefunds),
		"GET /v1/refunds/{id}":                  s.endpoint(nil, getRefund),
		"GET /v1/disputes":                      s.endpoint(listParams, listDisputes),
	}
	charge := s.endpoint(intentParams, createIntent)
	charge.Delay = s.createDelay
	list["POST /v1/payment_intents"] = charge
	for method, run := range map[string]func(*Dialect, *core.Call) core.Answer{"GET": showPage, "POST": leavePage} {
		page := s.endpoint(params{"decision": oneOf("confirm", "refuse")}, run)
		page.Open = true
		list[method+" "+payersPath+"{id}"] = page
	}
	return list
}

func (s *Dialect) endpoint(accepts params, run func(*Dialect, *core.Call) core.Answer) core.Endpoint {
	return core.Endpoint{
		Read: func(c *core.Call) *core.Answer { return readParams(c, accepts) },
		Run:  func(c *core.Call) core.Answer { return run(s, c) },
	}
}

func getBalance(_ *Dialect, c *core.Call) core.Answer {
	nothing := []any{map[string]any{"amount": 0, "currency": "usd", "source_types": map[string]any{"card": 0}}}
	return ok(map[string]any{"object": "balance", "available": nothing, "livemode": c.Live, "pending": nothing})
}

// fingerprint identifies a request apart from its key. Encode sorts the parameters.
func fingerprint(path string, live bool, values url.Values) string {
	mode := "test"
	if live {
		mode = "live"
	}
	sum := sha256.Sum256([]byte(mode + " " + path + "?" + values.Encode()))
	return hex.EncodeToString(sum[:])
}
