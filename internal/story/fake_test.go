package story

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// scene is the API's state after a step; the story's own texts are not used, so that a mistake there is noticed here.
type scene struct {
	status        string
	next          string
	nextAt        time.Time
	invoice       int // number; 0: none yet
	due           int64
	invoiceStatus string
	paymentStatus string
	attempt       int
}

func nine(month time.Month, day int) time.Time {
	return time.Date(2026, month, day, 9, 0, 0, 0, time.UTC)
}

// The scenes in order, by what leads to them.
const (
	subscribed = iota
	january31
	february28
	march31
	april30
	may1
	may3
	may7
	carded
	upgradedTo
	leaving
	staying
	gone
)

func scenes() []scene {
	may31 := nine(time.May, 31)
	return []scene{
		subscribed: {status: "trialing", next: "trial_notice", nextAt: nine(time.January, 28)},
		january31:  {"active", "renewal", nine(time.February, 28), 1, 1900, "paid", "success", 1},
		february28: {"active", "renewal", nine(time.March, 31), 2, 1900, "paid", "success", 1},
		march31:    {"active", "renewal", nine(time.April, 30), 3, 1900, "paid", "success", 1},
		april30:    {"active", "payment_retry", nine(time.May, 1), 4, 1900, "open", "declined", 1},
		may1:       {"active", "payment_retry", nine(time.May, 3), 4, 1900, "open", "declined", 2},
		may3:       {"active", "payment_retry", nine(time.May, 7), 4, 1900, "open", "declined", 3},
		may7:       {"past_due", "renewal", may31, 4, 1900, "open", "declined", 4},
		carded:     {"active", "renewal", may31, 4, 1900, "paid", "success", 5},
		upgradedTo: {"active", "renewal", may31, 5, 1548, "paid", "success", 1},
		leaving:    {"active", "cancel", may31, 5, 1548, "paid", "success", 1},
		staying:    {"active", "renewal", may31, 5, 1548, "paid", "success", 1},
		gone:       {"canceled", "none", time.Time{}, 5, 1548, "paid", "success", 1},
	}
}

// fake is an API and a simulator that behave as a list of scenes says.
type fake struct {
	*httptest.Server
	scenes []scene
	ledger func(honest []object) []object // the provider's books in place of the true ones
	answer func(w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex
	at       int
	now      int64
	customer string
	keys     map[string]bool
	faults   []string // of the story's requests

	outbox
}

func newFake(t *testing.T) *fake {
	f := &fake{
		scenes: scenes(), at: -1, keys: map[string]bool{}, ledger: func(o []object) []object { return o },
		outbox: outbox{t: t, endpoints: map[string]object{}, send: happenings()},
	}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.answer != nil && f.answer(w, r) {
		return
	}
	var in map[string]any
	_ = json.NewDecoder(r.Body).Decode(&in)
	if strings.HasPrefix(r.URL.Path, "/api/") {
		f.check(r)
	}
	before := f.at
	reply := f.reply(r.Method+" "+r.URL.Path, in)
	f.announce(r.Method+" "+r.URL.Path, in, f.at != before, f.at)
	_ = json.NewEncoder(w).Encode(reply)
}

// check requires the good practice that the story is an example of.
func (f *fake) check(r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer sk_test_story" {
		f.faults = append(f.faults, r.URL.Path+" without the key")
	}
	if r.Method == http.MethodGet {
		return
	}
	key := r.Header.Get("Idempotency-Key")
	if key == "" || f.keys[key] {
		f.faults = append(f.faults, r.URL.Path+" without an idempotency key of its own")
	}
	f.keys[key] = true
}

func (f *fake) reply(request string, in map[string]any) any {
	if reply, ok := f.webhooks(request, in); ok {
		return reply
	}
	switch request {
	case "POST /api/plans":
		return object{"id": "plan_" + in["name"].(string)}
	case "POST /api/test-clocks":
		f.now = int64(in["now"].(float64))
		return object{"id": "clk_1"}
	case "POST /api/customers":
		f.customer = in["paymentDetails"].(map[string]any)["customerToken"].(string)
		return object{"id": "cust_1"}
	case "POST /api/subscriptions":
		f.at = subscribed
		return object{"id": "sub_1"}
	case "POST /api/test-clocks/clk_1/advance":
		return f.advance(int64(in["to"].(float64)))
	case "GET /api/test-clocks/clk_1":
		return object{"status": "ready", "now": f.now}
	case "PATCH /api/customers/cust_1":
		f.at = carded
	case "PATCH /api/subscriptions/sub_1":
		f.at = upgradedTo
	case "POST /api/subscriptions/sub_1/cancel":
		f.at = map[any]int{false: leaving, true: gone}[in["immediateEffect"]]
	case "POST /api/subscriptions/sub_1/reactivate":
		f.at = staying
	case "GET /api/subscriptions/sub_1":
		return f.subscription()
	case "GET /api/invoices":
		return object{"data": f.invoices()}
	case "GET /api/payments":
		return object{"data": f.payments()}
	case "GET /_simulator/ledger":
		return f.ledger(f.captures())
	}
	return object{}
}

func (f *fake) advance(to int64) any {
	f.now = to
	if next, ok := map[int64]int{
		nine(time.January, 31).Unix(): january31, nine(time.February, 28).Unix(): february28,
		nine(time.March, 31).Unix(): march31,
		nine(time.April, 30).Unix(): april30, nine(time.May, 1).Unix(): may1, nine(time.May, 3).Unix(): may3,
		nine(time.May, 7).Unix(): may7,
	}[to]; ok {
		f.at = next
	}
	return object{"status": "advancing", "now": to - 1}
}

func (f *fake) subscription() any {
	s := f.scenes[f.at]
	out := object{"id": "sub_1", "status": s.status, "nextAction": s.next}
	if !s.nextAt.IsZero() {
		out["nextActionAt"] = s.nextAt.Unix()
	}
	return out
}

// invoices returns the invoices of the scenes so far, newest first.
func (f *fake) invoices() []object {
	out := []object{}
	for n := f.scenes[f.at].invoice; n > 0; n-- {
		s := f.latest(n)
		out = append(out, object{
			"id": fmt.Sprintf("in_%d", n), "number": n, "status": s.invoiceStatus, "currency": "USD", "amountDue": s.due,
		})
	}
	return out
}

// latest is the last scene so far that shows an invoice.
func (f *fake) latest(invoice int) scene {
	for i := f.at; ; i-- {
		if f.scenes[i].invoice == invoice {
			return f.scenes[i]
		}
	}
}

func (f *fake) payments() []object {
	out := []object{}
	for n := f.scenes[f.at].invoice; n > 0; n-- {
		s := f.latest(n)
		out = append(out, object{
			"id": fmt.Sprintf("txn_%d", n), "invoiceId": fmt.Sprintf("in_%d", n), "status": s.paymentStatus,
			"attemptNumber": s.attempt,
		})
	}
	return out
}

func (f *fake) captures() []object {
	out := []object{{"kind": "capture", "amount": 5, "customer": "cus_somebody", "txn_id": "txn_other"}}
	for n := 1; n <= f.scenes[f.at].invoice; n++ {
		out = append(out, object{
			"kind": "capture", "amount": f.latest(n).due, "customer": f.customer, "txn_id": fmt.Sprintf("txn_%d", n),
		})
	}
	return out
}
