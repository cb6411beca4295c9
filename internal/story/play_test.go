package story

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/webhooks/verify"
)

// play plays the story with a fake. Its clock moves a second with every poll, so that patience ends soon. It begins at
// the real time, with which the fake signs.
func play(t *testing.T, f *fake, colour bool) (string, Played, error) {
	t.Helper()
	var out bytes.Buffer
	var looks atomic.Int64
	begun := time.Now()
	played, err := Play(t.Context(), Config{
		API: f.URL, Key: "sk_test_story", Simulator: f.URL, Out: &out, Colour: colour, Patience: 3 * time.Second,
		Now:    func() time.Time { return begun.Add(time.Duration(looks.Add(1)) * time.Second) },
		Verify: verify.Verify,
		rest:   func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	return out.String(), played, err
}

func TestStory_Whole(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	out, played, err := play(t, f, false)
	require.NoError(t, err, out)
	require.Equal(t, Played{CustomerID: "cust_1", ClockID: "clk_1", SubscriptionID: "sub_1", Steps: 16}, played)
	require.Empty(t, f.faults)
	require.Contains(t, out,
		" 7 May 2026  third retry, 4 days later            past_due  #4 19.00 open        declined, attempt 4  renewal 31 "+
			"May 09:00\n")
	require.Contains(t, out, "5 captures, 91.48 USD")
	require.NotContains(t, out, "\x1b", "no colours where nobody asked")
	require.NotContains(t, out, "sk_test_story")
}

// Every column of every step is checked: one thing is changed in one scene, and the story must stop there.
func TestStory_StopsAtUnexpectedAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scene int
		bend  func(*scene)
		step  string
		says  string
	}{
		"trial not granted": {subscribed, func(s *scene) {
			s.status = "active"
		}, "subscribes to Starter, 14 days free", `status: expected "trialing", got "active"`},
		"trial a day short": {subscribed, func(s *scene) {
			s.nextAt = nine(time.January, 27)
		}, "subscribes to Starter, 14 days free", `next: expected "trial_notice 28 Jan 09:00", got "trial_notice 27 Jan 09:00"`},
		"billed during the trial": {subscribed, func(s *scene) {
			s.invoice, s.due, s.invoiceStatus = 1, 1900, "open"
		}, "subscribes to Starter, 14 days free", `invoice: expected "–", got "19.00 USD open"`},
		"first payment pending": {january31, func(s *scene) {
			s.paymentStatus = "pending"
		}, "the trial ends: first payment", `payment: expected "success, attempt 1", got "pending, attempt 1"`},
		"a cent too much": {february28, func(s *scene) { s.due = 1901 }, "renewal", `got "19.01 USD paid"`},
		"month end drifts": {february28, func(s *scene) {
			s.nextAt = nine(time.March, 28)
		}, "renewal", `next: expected "renewal 31 Mar 09:00"`},
		"paid by a failing card": {april30, func(s *scene) {
			s.invoiceStatus = "paid"
		}, "renewal: no funds", `invoice: expected "19.00 USD open"`},
		"gaps do not grow": {may1, func(s *scene) {
			s.nextAt = nine(time.May, 2)
		}, "first retry, a day later", `next: expected "payment_retry 3 May 09:00"`},
		"an attempt too many": {may3, func(s *scene) {
			s.attempt = 4
		}, "second retry, 2 days later", `payment: expected "declined, attempt 3"`},
		"never past due": {may7, func(s *scene) {
			s.status = "active"
		}, "third retry, 4 days later", `status: expected "past_due"`},
		"not recovered": {carded, func(s *scene) {
			s.status = "past_due"
		}, "a good card", `status: expected "active"`},
		"upgrade not prorated": {upgradedTo, func(s *scene) {
			s.due = 4900
		}, "upgrade to Pro, 16 of 31 days left", `invoice: expected "15.48 USD paid"`},
		"canceled too early": {leaving, func(s *scene) {
			s.status = "canceled"
		}, "cancel at the period's end", `status: expected "active"`},
		"cancel not undone": {staying, func(s *scene) {
			s.next = "cancel"
		}, "stay after all", `next: expected "renewal 31 May 09:00"`},
		"still alive": {gone, func(s *scene) {
			s.status = "active"
		}, "cancel now", `status: expected "canceled"`},
		"still something to come": {gone, func(s *scene) {
			s.next, s.nextAt = "renewal", nine(time.May, 31)
		}, "cancel now", `next: expected "–"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			c.bend(&f.scenes[c.scene])
			out, _, err := play(t, f, false)
			var deviation *Deviation
			require.ErrorAs(t, err, &deviation, out)
			require.Equal(t, c.step, deviation.Step)
			require.NotEmpty(t, deviation.Differences)
			require.Contains(t, deviation.Differences[0], c.says)
			require.Contains(t, out, "    ✗ "+deviation.Differences[0], "the reader sees it too")
		})
	}
}

func TestStory_ComparesProviderLedger(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ledger func([]object) []object
		says   string
	}{
		"charged twice": {func(o []object) []object {
			return append(o, o[2])
		}, "invoice #2: expected one capture of 1900, got [1900 1900]"},
		"never charged": {func(o []object) []object {
			return o[:len(o)-1]
		}, "invoice #5: expected one capture of 1548, got []"},
		"other amount": {func(o []object) []object {
			o[1]["amount"] = 1
			return o
		}, "invoice #1: expected one capture of 1900, got [1]"},
		"charge of no order": {func(o []object) []object {
			o[0]["customer"] = o[1]["customer"]
			return o
		}, `captured 0.05 for "txn_other", which pays no invoice`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.ledger = c.ledger
			out, played, err := play(t, f, false)
			var deviation *Deviation
			require.ErrorAs(t, err, &deviation, out)
			require.Equal(t, 16, played.Steps)
			require.Contains(t, strings.Join(deviation.Differences, "\n"), c.says)
		})
	}
}

func TestStory_ShowsRefusal(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/api/customers" {
			return false
		}
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = w.Write(
			[]byte(`{"code":"field_missing","detail":"a customer needs an email","param":"email","requestId":"req_1"}`))
		return true
	}
	_, played, err := play(t, f, false)
	require.ErrorContains(t, err,
		"a customer with a card: POST "+f.URL+"/api/customers answers 422 field_missing: a customer needs an email (email "+
			"req_1)")
	require.Equal(t, 1, played.Steps, "one step was told before")
}

func TestStory_NoticesBlockedClock(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && r.URL.Path == "/api/test-clocks/clk_1" {
			_, _ = w.Write([]byte(`{"status":"ready","now":1,"blockedBy":["txn_7"]}`))
			return true
		}
		return false
	}
	_, _, err := play(t, f, false)
	require.ErrorContains(t, err, "held by [txn_7]")
}

func TestStory_RetriesWhenAsked(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	refused := map[string]int{}
	f.answer = func(w http.ResponseWriter, r *http.Request) bool {
		key := r.Header.Get("Idempotency-Key")
		if r.URL.Path != "/api/subscriptions" {
			return false
		}
		if refused[key]++; refused[key] > 1 {
			return false
		}
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	out, _, err := play(t, f, true)
	require.NoError(t, err)
	require.Len(t, refused, 1, "the same key again")
	require.Contains(t, out, "\x1b[31mpast_due\x1b[0m")
}
