package simulator

var (
	cancelParams = params{"cancellation_reason": oneOf("abandoned", "duplicate", "fraudulent", "requested_by_customer")}
	listParams   = params{"limit": integer, "payment_intent": text, "starting_after": text}
)

// stripeEndpoints is all of Stripe that the simulator imitates.
var stripeEndpoints = map[string]endpoint{
	"GET /v1/balance": {run: getBalance},

	"POST /v1/customers":                   {accepts: customerParams, run: createCustomer},
	"GET /v1/customers/{id}":               {run: getCustomer},
	"POST /v1/payment_methods/{id}/attach": {accepts: params{"customer": text}, run: attachCard},
	"POST /v1/payment_intents":             {accepts: intentParams, delay: createDelay, run: createIntent},
	"GET /v1/payment_intents/search":       {accepts: params{"query": text, "limit": integer}, run: searchIntents},
	"GET /v1/payment_intents/{id}":         {run: getIntent},
	"POST /v1/payment_intents/{id}/cancel": {accepts: cancelParams, run: cancelIntent},
	"POST /v1/refunds":                     {accepts: refundParams, run: createRefund},
	"GET /v1/refunds":                      {accepts: listParams, run: listRefunds},
	"GET /v1/refunds/{id}":                 {run: getRefund},
	"GET /v1/disputes":                     {accepts: listParams, run: listDisputes},
}

func getBalance(_ *Server, c call) answer {
	nothing := []any{map[string]any{"amount": 0, "currency": "usd", "source_types": map[string]any{"card": 0}}}
	return ok(map[string]any{"object": "balance", "available": nothing, "livemode": c.live, "pending": nothing})
}
