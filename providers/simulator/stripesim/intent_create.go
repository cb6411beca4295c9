package stripesim

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"perennial/billing/money"
	"perennial/providers/simulator/core"
)

// intentParams are the parameters an off-session card charge needs. Others that Stripe has are refused, so that a test
// notices when an adapter begins to depend on something that is not imitated.
var intentParams = params{
	"amount":                 integer,
	"capture_method":         oneOf("automatic"),
	"confirm":                boolean,
	"currency":               text,
	"customer":               text,
	"description":            text,
	"metadata[]":             text,
	"off_session":            boolean,
	"payment_method":         text,
	"payment_method_types[]": oneOf("card"),
}

// createDelay returns the delay of the simulated bank.
func (s *Dialect) createDelay(c *core.Call) time.Duration {
	b, refused := s.state.behaviourOf(input(c).Get("customer"), input(c).Get("payment_method"))
	if refused != nil || input(c).Get("confirm") != "true" {
		return 0
	}
	return b.delay
}

func createIntent(s *Dialect, c *core.Call) core.Answer {
	p := input(c)
	if refused := checkIntent(p); refused != nil {
		return *refused
	}
	token, customer := p.Get("payment_method"), p.Get("customer")
	var b behaviour
	if token != "" {
		var refused *core.Answer
		if b, refused = s.state.behaviourOf(customer, token); refused != nil {
			return *refused
		}
	}
	pi := &intent{
		ID: newID("pi_"), Amount: number(p, "amount"), Created: s.server.Now().UTC(),
		Currency: strings.ToLower(p.Get("currency")), Customer: customer, Description: p.Get("description"),
		Live: c.Live, Metadata: metadata(p), PaymentMethod: token, Refunds: b.refunds,
	}
	switch {
	case p.Get("confirm") == "true":
		return s.confirm(pi, b)
	case token == "":
		pi.Status = requiresPaymentMethod
	default:
		pi.Status = requiresConfirmation
	}
	a := ok(pi.render())
	a.Effect, a.Remember = effect(intentChanged, &record{Intent: pi}, s.confirmed(pi)[:1]...), true
	return a
}

// confirm lets the payment method decide.
func (s *Dialect) confirm(pi *intent, b behaviour) core.Answer {
	kind := intentChanged
	a := core.Answer{Status: http.StatusOK, Remember: true, Hang: b.hang}
	switch {
	case b.refuse:
		return overloaded()
	case b.dropped && b.hang:
		return core.Answer{Hang: true} // nothing happened and nothing is remembered
	case b.dropped:
		a = broken()
		a.Remember = true // Stripe repeats even a 500 to a repeat of the key
		return a
	case b.decline != nil:
		pi.Status, pi.LastError = requiresPaymentMethod, b.decline
		f := *b.decline
		f.PaymentIntent = pi.render()
		a.Status, a.Body = http.StatusPaymentRequired, map[string]any{"error": f}
		a.Effect = effect(kind, &record{Intent: pi}, s.confirmed(pi)...)
		return a
	case b.needsAction:
		pi.Status = requiresAction
	case b.pending:
		pi.Status = processing
		if b.settleTo != "" {
			at := pi.Created.Add(b.settleAfter)
			pi.SettleAt, pi.SettleTo = &at, b.settleTo
		}
	default:
		pi.Status, pi.Charge, kind = succeeded, newID("ch_"), core.Capture
	}
	a.Effect = effect(kind, &record{Intent: pi}, s.confirmed(pi)...)
	a.Body = pi.render()
	if b.fail500 {
		a.Status, a.Body = http.StatusInternalServerError, broken().Body
	}
	return a
}

// minimum is the smallest charge, in the currency's wire units, for the currencies that Stripe documents figures for.
var minimum = map[string]int64{
	"aed": 200, "aud": 50, "brl": 50, "cad": 50, "chf": 50, "czk": 1500, "dkk": 250, "eur": 50, "gbp": 30, "hkd": 400,
	"huf": 17500, "inr": 50, "jpy": 50, "mxn": 1000, "myr": 200, "nok": 300, "nzd": 50, "pln": 200, "ron": 200, "sek": 300,
	"sgd": 50, "thb": 1000, "usd": 50,
}

const maximum = 999_999_999_999

func checkIntent(p url.Values) *core.Answer {
	for _, name := range []string{"amount", "currency"} {
		if p.Get(name) == "" {
			return refuse(invalid(http.StatusBadRequest, "parameter_missing", name, "Missing required param: %s.", name))
		}
	}
	if refused := checkAmount(number(p, "amount"), strings.ToLower(p.Get("currency"))); refused != nil {
		return refused
	}
	if p.Get("confirm") != "true" {
		if p.Has("off_session") {
			return refuse(invalid(http.StatusBadRequest, "", "off_session",
				"You can only pass `off_session` when `confirm=true`."))
		}
		return nil
	}
	if p.Get("payment_method") == "" {
		return refuse(invalid(http.StatusBadRequest, "payment_intent_unexpected_state", "payment_method",
			"You cannot confirm this PaymentIntent because it's missing a payment method."))
	}
	return nil
}

func checkAmount(amount int64, currency string) *core.Answer {
	if _, err := money.ParseCurrency(strings.ToUpper(currency)); err != nil {
		return refuse(invalid(http.StatusBadRequest, "", "currency", "Invalid currency: %s.", currency))
	}
	switch {
	case amount < 1:
		return refuse(invalid(http.StatusBadRequest, "parameter_invalid_integer", "amount",
			"This value must be greater than or equal to 1."))
	case amount < minimum[currency]:
		return refuse(invalid(http.StatusBadRequest, "amount_too_small", "amount", "Amount must be at least %d %s",
			minimum[currency], currency))
	case amount > maximum:
		return refuse(invalid(http.StatusBadRequest, "amount_too_large", "amount", "Amount must be no more than %d",
			int64(maximum)))
	case amount%multiple(currency) != 0:
		return refuse(invalid(http.StatusBadRequest, "invalid_amount", "amount", "Amounts in %s must be divisible by %d.",
			currency, multiple(currency)))
	}
	return nil
}

// multiple returns the number by which every amount of a currency must be divisible on Stripe's wire.
func multiple(currency string) int64 {
	switch currency {
	case "isk", "ugx":
		return 100
	case "bhd", "jod", "kwd", "omr", "tnd":
		return 10
	}
	return 1
}
