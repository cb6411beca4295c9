package stripesim

import (
	"net/http"
	"net/url"
	"slices"

	"perennial/providers/simulator/core"
)

// asks reports whether the bank wants the payer to authenticate. A charge whose payer is away is then refused, or
// waits.
func (b behaviour) asks() bool {
	return b.needsAction || b.decline != nil && b.decline.Code == "authentication_required"
}

// confirmable lists the statuses from which an intent can be confirmed again.
var confirmable = []string{requiresPaymentMethod, requiresConfirmation, requiresAction}

// confirmIntent confirms an intent whose payer is there.
func confirmIntent(s *Dialect, c *core.Call) core.Answer {
	pi, refused := s.find(c)
	if refused != nil {
		return *refused
	}
	if !slices.Contains(confirmable, pi.Status) {
		return invalid(http.StatusBadRequest, "payment_intent_unexpected_state", "",
			"You cannot confirm this PaymentIntent because it has already %s after being previously confirmed.", pi.Status)
	}
	p, next := input(c), *pi
	next.PaymentMethod = p.Get("payment_method")
	b, refused := s.state.behaviourOf(next.Customer, next.PaymentMethod)
	if refused != nil {
		return *refused
	}
	next.LastError = nil
	if b.asks() {
		b = behaviour{needsAction: true}
		if next.ReturnURL = p.Get("return_url"); next.ReturnURL != "" {
			next.PayersPage = "http://" + c.Host + payersPath + next.ID
		}
	}
	a := s.confirm(&next, b)
	if a.Effect != nil {
		a.Effect.Messages = a.Effect.Messages[1:] // it was created before
	}
	return a
}

// payersPath is the path of the page that imitates the bank's. The real one is on another host.
const payersPath = "/redirect/authenticate/"

// atPage finds the intent whose payer may be at the page.
func (s *Dialect) atPage(c *core.Call) *intent {
	if pi := s.state.intents[c.PathValue("id")]; pi != nil && pi.Status == requiresAction && pi.PayersPage != "" {
		return pi
	}
	return nil
}

func showPage(s *Dialect, c *core.Call) core.Answer {
	if s.atPage(c) == nil {
		return core.NoPayersPage()
	}
	return core.PayersPage()
}

// leavePage takes the payer's decision, and sends the browser back to where the charge named.
func leavePage(s *Dialect, c *core.Call) core.Answer {
	pi := s.atPage(c)
	if pi == nil {
		return core.NoPayersPage()
	}
	to := failed
	if input(c).Get("decision") == "confirm" {
		to = succeeded
	}
	next, e := s.settleIntent(pi, to)
	return core.PayerLeaves(next.ReturnURL, url.Values{
		"payment_intent": {next.ID}, "payment_intent_client_secret": {next.ID + "_secret_simulated"}, "redirect_status": {to},
	}, e)
}
