package payment

import "time"

// Action has the state of a confirmation that a provider wants from the payer of a charge (3-D Secure): the payer opens
// our link, which leads to the provider's page. Times are real.
type Action struct {
	// Token names the payment in our link: it is the right to open the provider's page. It is random, and set with the
	// first send, since the provider is told the address for the payer's return. It stays only where the payer was
	// asked.
	Token      string
	URL        string    // the provider's page; empty: there is nothing to confirm (any more). It is never shown.
	ExpiresAt  time.Time // until when the payer may confirm; zero: the payer was never asked
	ReturnedAt time.Time // when the payer's browser came back last; zero: it did not
	// Brought has the parameters that the browser brought back from the page, where the provider needs them to complete
	// the charge and has not answered to them yet; empty: none. It is never shown or logged.
	Brought string
	// HandedAt is the time since which the provider may have Brought, or another that completes the charge; zero: never.
	HandedAt time.Time
	// ApartSend is the number of the send whose two requests, in the payer's absence and asking the payer, have
	// separate references; 0: there is none. Builds before this one had none.
	ApartSend int
}

// closed returns the part that stays when the charge has ended: a payer who was asked may still read the outcome.
func (a Action) closed() Action {
	if a.ExpiresAt.IsZero() {
		return Action{}
	}
	a.URL, a.Brought, a.HandedAt = "", "", time.Time{}
	return a
}

// Confirmation names the page that a payer sees who opens the link.
type Confirmation string

// The confirmations.
const (
	ConfirmNow     Confirmation = "now"     // the provider's page is open
	ConfirmDecided Confirmation = "decided" // the provider has not said yet what came of it
	ConfirmPaid    Confirmation = "paid"
	ConfirmExpired Confirmation = "expired" // too late: nothing was paid
	ConfirmFailed  Confirmation = "failed"
	ConfirmEnded   Confirmation = "canceled" // the charge was canceled
	// Only of a payer who comes back from the provider's page:
	ConfirmAsked   Confirmation = "asked"   // the provider is asked for the outcome
	ConfirmMissing Confirmation = "missing" // nothing came back that could complete the charge
)

// Confirmation returns the page for a payer who opens the link of the charge. now is real time.
func (t Transaction) Confirmation(now time.Time) Confirmation {
	switch {
	case t.Status == Success:
		return ConfirmPaid
	case t.Status == Canceled, !t.CancelRequestedAt.IsZero():
		return ConfirmEnded
	case t.Status == Pending && (t.Action.URL == "" || t.Action.Brought != ""), !t.ParkedAt.IsZero():
		return ConfirmDecided
	case t.Status == Pending && now.Before(t.Action.ExpiresAt):
		return ConfirmNow
	case t.Status == Pending, t.FailureReason == Unconfirmed:
		return ConfirmExpired
	}
	return ConfirmFailed
}

// ConfirmationOfReturn returns the state to show to a payer who has just come back from the provider's page: see
// PayerReturned. completes: the provider completes the charge only with the values that the payer brings back. now is
// real time.
func (t Transaction) ConfirmationOfReturn(completes bool, now time.Time) Confirmation {
	told := t.Confirmation(now)
	open := told == ConfirmNow || told == ConfirmExpired && t.Status == Pending
	switch {
	case open && !completes && now.Sub(t.Action.ReturnedAt) < returnGap:
		return ConfirmAsked // also one who comes back at the last moment
	case told == ConfirmNow:
		return ConfirmMissing
	}
	return told
}

// Unconfirmed is the reason of a failed attempt whose payer did not act.
const Unconfirmed = "The payer did not confirm the payment in time."

// unconfirmedGrace is the time after the link has closed in which a payer may still be on the page of a provider that
// cannot cancel. A success after it is late: it counts, or is given back.
const unconfirmedGrace = time.Hour

// AsksPayer returns a charge that the provider has accepted with its page where the payer can confirm it: url; empty:
// there is none (any more). It reports whether that is new, which is to be announced: a later page of the same charge
// is not. Where the protocol gives payers no time, no payer is asked. now is real time.
func (p Protocol) AsksPayer(t Transaction, url string, now time.Time) (_ Transaction, news bool) {
	unwanted := !t.CancelRequestedAt.IsZero() && url != ""
	if t.Type != Charge || t.Status != Pending || t.Action.Token == "" || p.ActionExpiry == 0 || unwanted {
		return t, false
	}
	t.Action.URL = url
	if url == "" {
		return t, false
	}
	news = t.Action.ExpiresAt.IsZero()
	if news {
		t.Action.ExpiresAt = now.Add(p.ActionExpiry)
	}
	t.NextCheckAt = now.Add(actionChecks[min(max(t.Checks, 1), len(actionChecks))-1])
	if end := p.actionEnd(t); now.Before(end) && (end.Before(t.NextCheckAt) || !p.canAsk(t.ProviderRef)) {
		t.NextCheckAt = end
	}
	return t, news
}

// actionChecks has the waits before each look-up while a payer is asked. Only the payer moves the charge, and both the
// provider's callback and the payer's return announce that.
var actionChecks = [...]time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour}

// actionEnd returns the time at which a charge that its payer has not confirmed ends.
func (p Protocol) actionEnd(t Transaction) time.Time {
	if p.Cancel {
		return t.Action.ExpiresAt
	}
	return t.Action.ExpiresAt.Add(unconfirmedGrace)
}

// WaitsForPayer reports whether only the payer can bring the charge further. Requests that wait for its end are
// answered.
func (t Transaction) WaitsForPayer() bool {
	return t.Status == Pending && t.Action.URL != "" && t.Action.Brought == "" && t.CancelRequestedAt.IsZero()
}

// Overdue reports whether the charge asked its payer, who brought nothing back in time.
func (p Protocol) Overdue(t Transaction, now time.Time) bool {
	return t.Status == Pending && t.wantsPayer() && t.Action.Brought == "" && !now.Before(p.actionEnd(t))
}

// wantsPayer reports whether the provider waits for the payer, as far as is known. An erasure takes link and page,
// while the provider may wait for ever.
func (t Transaction) wantsPayer() bool {
	erased := t.Action.Token == "" && !t.Action.ExpiresAt.IsZero()
	return t.Action.URL != "" || erased
}

// EndAction ends the time of a payer who is asked now: there is a better payment method. It reports whether one is.
func (t Transaction) EndAction(now time.Time) (Transaction, bool) {
	if t.Confirmation(now) != ConfirmNow {
		return t, false
	}
	t.Action.ExpiresAt, t.NextCheckAt = now, now
	return t, true
}

// returnGap is the least time between two look-ups that returns of the same payer cause: anyone can reload a page.
const returnGap = 10 * time.Second

// PayerReturned notes that the payer's browser came back from the provider's page, so that the provider is asked at
// once, and soon again. It proves nothing. brought has the values that the provider needs to complete the charge;
// empty: none, since it completes charges itself. Values after the payer's time are not taken: the link says so by
// then. It reports whether there is anything to ask.
func (t Transaction) PayerReturned(brought string, now time.Time) (Transaction, bool) {
	pending := t.Status == Pending && t.ParkedAt.IsZero() && !t.Action.ExpiresAt.IsZero()
	late := brought != "" && !now.Before(t.Action.ExpiresAt)
	if !pending || late || now.Sub(t.Action.ReturnedAt) < returnGap {
		return t, false
	}
	if brought != "" && t.Action.URL != "" && (t.Action.HandedAt.IsZero() || t.Action.Brought == "") {
		t.Action.Brought = brought // where there is another already, the provider may have that
	}
	t.Action.ReturnedAt, t.NextCheckAt, t.Checks = now, now, 0
	return t, true
}
