package subscriptions

import (
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
)

// AnchorChoice is another anchor of the periods: "now", or a date as the text of its Unix seconds. Empty: none.
type AnchorChoice string

const anchorNow AnchorChoice = "now"

// Schema lists both. The command checks the value: what the schema could say of a wrong one names neither.
func (AnchorChoice) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Examples: []any{string(anchorNow)},
		Extensions: map[string]any{"anyOf": []map[string]any{
			{"type": huma.TypeString, "enum": []string{string(anchorNow)}},
			{"type": huma.TypeInteger, "format": "int64", "minimum": 1},
		}},
	}
}

// UnmarshalJSON reads both.
func (a *AnchorChoice) UnmarshalJSON(b []byte) error {
	*a = AnchorChoice(b)
	if text := strings.Trim(string(b), `"`); text == string(anchorNow) {
		*a = anchorNow
	}
	return nil
}

// command returns the move of the anchor. Faults: fields_exclusive, value_unknown.
func (a AnchorChoice) command(c PlanChoice) (lifecycle.MoveAnchor, error) {
	cmd := lifecycle.MoveAnchor{Proration: subscription.ProrationBehavior(c.Proration)}
	if err := alone(c, "billingAnchor", "prorationBehavior"); err != nil {
		return cmd, err
	}
	switch {
	case cmd.Proration == subscription.NextInvoice:
		return cmd, errAnchorInvoices
	case a == anchorNow:
		return cmd, nil
	}
	at, err := strconv.ParseInt(string(a), 10, 64)
	if err != nil {
		return cmd, errAnchor
	}
	cmd.On = time.Unix(at, 0).UTC()
	return cmd, nil
}

var errAnchor = fault.InvalidParam("billingAnchor", "value_unknown",
	"Send `now`, or a date in Unix seconds, as an integer.")

var errAnchorInvoices = fault.InvalidParam("prorationBehavior", "fields_exclusive",
	"The period that begins at another `billingAnchor` is invoiced as it begins. Send `always_invoice` or `none`.")
