package story

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/webhooks"
)

const fakeSecret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="

// deliverer shares no connections: each server of a test that ends closes the idle ones of the default transport, and
// an answer without a body may be lost by that.
var deliverer = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// happening is an event as the fake sends it.
type happening struct {
	kind string
	data string // JSON
}

// outbox is the fake's webhooks: it delivers before the request that caused them is answered.
type outbox struct {
	t         *testing.T
	endpoints map[string]object
	send      map[int][]happening // by scene
	deliver   func(id string, header http.Header, body []byte) [][]byte
	made      int
	ids       int
	statuses  []int // that the receiver answered
}

// webhooks answers the requests about endpoints.
func (o *outbox) webhooks(request string, in map[string]any) (any, bool) {
	switch {
	case request == "GET /api/webhooks":
		all := []object{}
		for _, e := range o.endpoints {
			all = append(all, e)
		}
		return object{"data": all}, true
	case request == "POST /api/webhooks":
		o.made++
		id := fmt.Sprintf("whe_%d", o.made)
		o.endpoints[id] = object{"id": id, "url": in["url"], "description": in["description"]}
		return object{"id": id, "secret": fakeSecret}, true
	case strings.HasPrefix(request, "DELETE /api/webhooks/"):
		delete(o.endpoints, strings.TrimPrefix(request, "DELETE /api/webhooks/"))
		return object{}, true
	}
	return nil, false
}

// announce sends the events of a request.
func (o *outbox) announce(request string, in map[string]any, moved bool, scene int) {
	switch request {
	case "POST /api/plans":
		o.emit(happening{"plan.created", `{"id":"plan_` + in["name"].(string) + `"}`})
	case "POST /api/customers":
		o.emit(happening{"customer.created", `{"id":"cust_1"}`})
	}
	if moved {
		for _, h := range o.send[scene] {
			o.emit(h)
		}
	}
	if strings.HasSuffix(request, "/advance") {
		o.emit(happening{"test_clock.advanced", fmt.Sprintf(`{"id":"clk_1","now":%d}`, int64(in["to"].(float64)))})
	}
}

func (o *outbox) emit(h happening) {
	o.ids++
	id := fmt.Sprintf("evt_%03d", o.ids)
	data := h.data
	if strings.Contains(data, "subscriptionId") {
		data = strings.Replace(data, "{", fmt.Sprintf(`{"sequence":%d,`, o.ids), 1)
	}
	body := []byte(fmt.Sprintf(`{"event":%q,"data":%s,"timestamp":1}`, h.kind, data))
	header, err := webhooks.Sign(id, time.Now(), body, fakeSecret)
	require.NoError(o.t, err)
	bodies := [][]byte{body}
	if o.deliver != nil {
		bodies = o.deliver(id, header, body)
	}
	for _, body := range bodies {
		o.post(header, body)
	}
}

func (o *outbox) post(header http.Header, body []byte) {
	for _, e := range o.endpoints {
		url, ok := e["url"].(string)
		if !ok {
			continue // not ours
		}
		r, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, url, bytes.NewReader(body))
		require.NoError(o.t, err)
		r.Header = header
		answer, err := deliverer.Do(r)
		require.NoError(o.t, err)
		require.NoError(o.t, answer.Body.Close())
		o.statuses = append(o.statuses, answer.StatusCode)
	}
}

// happenings are the events of each scene, in the words of the API.
func happenings() map[int][]happening {
	const all = `"customerId":"cust_1","subscriptionId":"sub_1"`
	of := func(kind string, more ...string) happening {
		return happening{kind, `{"id":"sub_1",` + strings.Join(append(more, all), ",") + `}`}
	}
	starter, pro := `"planId":"plan_Starter"`, `"planId":"plan_Pro"`
	bill := func(kind string, due int) happening {
		object, err := json.Marshal(object{"id": "in_1", "amount_due": due, "currency": "USD"})
		if err != nil {
			panic(err)
		}
		return happening{kind, `{"id":"in_1","object":` + string(object) + `,` + all + `}`}
	}
	charge := func(kind string, due int) happening {
		return happening{kind, fmt.Sprintf(`{"id":"txn_1","amount":%d,"currency":"USD",%s}`, due, all)}
	}
	issue := []happening{of("subscription.renewed", starter), bill("invoice.created", 1900),
		bill("invoice.finalized", 1900)}
	success := []happening{charge("payment.success", 1900), bill("invoice.paid", 1900)}
	refusal := []happening{charge("payment.failed", 1900), bill("invoice.payment_failed", 1900)}
	join := func(lists ...[]happening) (out []happening) {
		for _, l := range lists {
			out = append(out, l...)
		}
		return out
	}
	active := []happening{of("subscription.activated")}
	return map[int][]happening{
		subscribed: {of("subscription.created", starter)},
		january31:  join([]happening{of("subscription.trial_will_end", starter)}, issue, success, active),
		february28: join(issue, success), march31: join(issue, success), april30: join(issue, refusal),
		may1: refusal, may3: refusal, may7: join(refusal, []happening{of("subscription.past_due")}),
		carded: join([]happening{{"customer.updated", `{"id":"cust_1"}`}}, success, active),
		upgradedTo: {
			of("subscription.plan_changed", pro), of("subscription.updated", pro), bill("invoice.created", 1548),
			bill("invoice.finalized", 1548), charge("payment.success", 1548), bill("invoice.paid", 1548),
		},
		leaving: {of("subscription.cancel_scheduled"), of("subscription.updated", pro)},
		staying: {of("subscription.reactivated"), of("subscription.updated", pro)},
		gone:    {of("subscription.canceled")},
	}
}
