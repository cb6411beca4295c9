package pawapay

import (
	"context"
	"net/http"

	"perennial/billing/fault"
)

// TestConnection reads the account's configuration. A token works at the address of its own mode only, and the address
// was checked against the environment. Faults: `provider_credentials_rejected` (Invalid, param apiToken),
// `provider_unavailable` (Unavailable).
func (p *PawaPay) TestConnection(ctx context.Context) error {
	x := p.get(ctx, confPath)
	active, ok := readConf(x)
	switch {
	case ok:
		p.conf.Put(active, true)
		return nil
	case x.status == http.StatusUnauthorized, x.status == http.StatusForbidden:
		return fault.InvalidParam(FieldAPIToken, "provider_credentials_rejected",
			"pawaPay does not accept this API token. Copy the current one from the pawaPay dashboard; "+
				"sandbox and production have tokens of their own.")
	case x.status == http.StatusTooManyRequests:
		return fault.New(fault.Unavailable, "provider_unavailable",
			"pawaPay limits the rate of requests. Try again in a moment.").After(x.retryAfter)
	case x.err != nil:
		return fault.New(fault.Unavailable, "provider_unavailable",
			"pawaPay could not be reached: %s.", p.scrub(x.err.Error()))
	}
	return fault.New(fault.Unavailable, "provider_unavailable",
		"pawaPay returned an unexpected response (HTTP %d).", x.status)
}
