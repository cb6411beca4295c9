// Package adyen owns the conversation with Adyen's Checkout API: the wire format, what each answer and each signed
// webhook proves, and which amounts Adyen can express. It does not own when a call is made, repeated or given up
// (workflows), nor its row (db).
//
// Adyen has no look-up of a payment. Its outcome comes from a repeat of the request under its key, inside the replay
// window, and from webhooks, whose HMAC makes them evidence.
package adyen

import (
	"net/http"
	"time"

	"perennial/providers"
	"perennial/providers/wire"
)

// DefaultReplayWindow is the time for which a repeated key gets the first result. Adyen's documentation promises seven
// days, an older edition thirty-one; unverified at a real account, so two days are margin.
const DefaultReplayWindow = 5 * 24 * time.Hour

// DefaultTimeout bounds one exchange.
const DefaultTimeout = 30 * time.Second

// Adyen is a providers.Provider.
type Adyen struct {
	apiKey          wire.Secret
	baseURL         string
	client          *http.Client
	hmacKey         wire.Secret // decoded; empty refuses every callback
	live            bool
	merchantAccount string
	replayWindow    time.Duration
	timeout         time.Duration
}

var _ providers.Provider = (*Adyen)(nil)

// Name is the provider's identifier in the API.
func (*Adyen) Name() string { return "adyen" }

// Capabilities of Adyen: no look-up of any kind, so absence is never proven. A payment that waits for its payer is not
// authorised before CompleteCharge.
func (a *Adyen) Capabilities() providers.Capabilities {
	return providers.Capabilities{ReplayWindow: a.replayWindow, Cancel: true, AsksPayer: true, Completes: true}
}

func mode(live bool) string {
	if live {
		return "live"
	}
	return "test"
}
