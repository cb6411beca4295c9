package stripesim

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"perennial/providers/simulator/core"
)

// asks reports whether the bank wants the payer to authenticate. A charge whose payer is away is then refused, or waits.
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

// payersPath is where Stripe's page stands in for the bank's. The real one is on another host.
const payersPath = "/redirect/authenticate/"

func page(status int, body string) core.Answer {
	return core.Answer{
		Status: status, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body: json.RawMessage("<!doctype html><title>Simulated bank</title>" + body),
	}
}

var gone = page(http.StatusNotFound, "<p>There is nothing to confirm here.")

// atPage finds the intent whose payer may be at the page.
func (s *Dialect) atPage(c *core.Call) *intent {
	if pi := s.state.intents[c.PathValue("id")]; pi != nil && pi.Status == requiresAction && pi.PayersPage != "" {
		return pi
	}
	return nil
}

func showPage(s *Dialect, c *core.Call) core.Answer {
	if s.atPage(c) == nil {
		return gone
	}
	return page(http.StatusOK, `<p>A shop wants your money.<form method="post">`+
		`<button name="decision" value="confirm">Confirm</button> <button name="decision" value="refuse">Refuse</button></form>`)
}

// leavePage takes the payer's decision, and sends the browser back to where the charge named.
func leavePage(s *Dialect, c *core.Call) core.Answer {
	pi := s.atPage(c)
	if pi == nil {
		return gone
	}
	to := failed
	if input(c).Get("decision") == "confirm" {
		to = succeeded
	}
	next, e := s.settleIntent(pi, to)
	back := url.Values{
		"payment_intent": {next.ID}, "payment_intent_client_secret": {next.ID + "_secret_simulated"}, "redirect_status": {to},
	}
	separator := "?"
	if strings.Contains(next.ReturnURL, "?") {
		separator = "&"
	}
	return core.Answer{
		Status: http.StatusSeeOther, Header: http.Header{"Location": {next.ReturnURL + separator + back.Encode()}}, Effect: e,
	}
}
