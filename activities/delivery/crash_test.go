package delivery_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/delivery"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/testkit"
	"perennial/webhooks"
	"perennial/webhooks/verify"
)

// The fates of an attempt.
const (
	accepted    = "accepted"
	refused     = "refused"
	crashBefore = "crash before the request arrives"
	crashAfter  = "crash after the request arrived"
)

// crashing is a sender whose worker dies during some attempts: they never return, so nothing is recorded.
type crashing struct {
	dead chan struct{} // closed at the end

	mu       sync.Mutex
	random   *rand.Rand
	left     int            // attempts that may go wrong
	accepted map[string]int // by event
	bodies   map[string]string
	changed  []string // events whose bytes differed
}

func (c *crashing) Send(_ context.Context, r webhooks.Request) webhooks.Result {
	what, eventID := accepted, r.Header.Get(verify.HeaderStandardID)
	c.mu.Lock()
	if c.left--; c.left >= 0 {
		what = []string{accepted, refused, refused, crashBefore, crashAfter}[c.random.IntN(5)]
	}
	if was, ok := c.bodies[eventID]; ok && was != string(r.Body) {
		c.changed = append(c.changed, eventID)
	}
	c.bodies[eventID] = string(r.Body)
	if what == accepted || what == crashAfter {
		c.accepted[eventID]++
	}
	c.mu.Unlock()
	switch what {
	case accepted:
		return webhooks.Result{Status: 200}
	case refused:
		return webhooks.Result{Status: 500, Failure: webhooks.FailedStatus, Detail: "refused"}
	}
	<-c.dead
	return webhooks.Result{Status: 200} // the late answer of a dead worker, after everything is decided
}

// Whatever dies between the start of an attempt, its request and its record: each event is delivered, or failed with
// its four attempts in the log, and the bytes are the same in each attempt. The activity runs again as Temporal and the
// reconciler would have it.
func TestDeliverDue_CrashesLoseNothing(t *testing.T) {
	t.Parallel()
	sender := &crashing{}
	p := newPost(t, sender)
	p.deliveries.SlowAfter = 5 * time.Millisecond // a dead attempt ends the activity
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	for range testkit.Scale(8, 300) {
		*sender = crashing{
			dead: make(chan struct{}), accepted: map[string]int{}, bodies: map[string]string{}, random: random,
			left: random.IntN(60),
		}
		ref := p.Endpoint(t, "https://example.com/", "plan.*")
		p.Announce(t, 6)
		for range 200 {
			next := p.due(t, ref, false).NextAt
			if next.IsZero() {
				break
			}
			if next.After(p.Clock.Now()) {
				p.Clock.Set(next.Add(time.Millisecond))
			}
		}
		close(sender.dead)
		p.deliveries.Drain() // late answers of dead workers change nothing
		p.accountedFor(t, ref, sender, 6)
		p.change(t, ref, func(e *db.WebhookEndpoint) { // the next case has an endpoint of its own
			e.Disable(delivery.DisabledByRequest, p.Clock.Now())
		})
	}
}

// accountedFor checks that n deliveries are decided and that their log says why.
func (p *post) accountedFor(t *testing.T, ref contract.Ref, sender *crashing, n int) {
	t.Helper()
	deliveries, attempts := p.log(t, ref)
	require.Len(t, deliveries, n)
	for _, d := range deliveries {
		counted := 0
		for i, a := range attempts[d.ID] {
			require.Equal(t, i+1, a.Number)
			require.NotZero(t, a.EndedAt)
			if a.Outcome == delivery.OutcomeFailed {
				counted++
			}
		}
		switch d.Status {
		case delivery.Succeeded:
			require.NotZero(t, sender.accepted[d.EventID])
		case delivery.Failed:
			require.Equal(t, 4, counted, "four attempts are in the log: %+v", attempts[d.ID])
		default:
			t.Fatalf("%s is %s", d.ID, d.Status)
		}
	}
	require.Empty(t, sender.changed)
}
