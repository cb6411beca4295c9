package delivery_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/testkit/receiver"
	"perennial/test/scene"
	"perennial/webhooks/verify"
)

func TestDeliverDue_DeliversAndLogs(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	p := newPost(t, nil)
	ref := p.Endpoint(t, r.Endpoint("/", receiver.Answer(200, nil, "thanks")), "*")
	p.Announce(t, 7)

	out := p.due(t, ref, false)

	require.Zero(t, out.NextAt, "nothing more is due")
	require.Equal(t, 7, out.Succeeded)
	got := r.Requests("/")
	require.Len(t, got, 7)
	deliveries, attempts := p.log(t, ref)
	require.Len(t, deliveries, 7)
	for _, d := range deliveries {
		require.Equal(t, delivery.Succeeded, d.Status)
		require.Equal(t, 1, d.Attempts)
		require.Equal(t, p.Clock.Now(), d.SucceededAt)
		made := attempts[d.ID]
		require.Len(t, made, 1)
		require.Equal(t, delivery.OutcomeSucceeded, made[0].Outcome)
		require.Equal(t, 200, made[0].StatusCode)
		require.Equal(t, "thanks", string(made[0].ResponseExcerpt))
		require.Equal(t, d.EventID, made[0].RequestHeaders["Webhook-Id"])
		for name := range made[0].RequestHeaders {
			require.NotContains(t, strings.ToLower(name), "signature")
		}
	}
	require.Equal(t, `{"event":"plan.created","data":{"id":"`+deliveries[0].ObjectID+`"},"timestamp":`+
		strconv.FormatInt(p.Clock.Now().Unix(), 10)+`}`, string(body(got,
		deliveries[0].EventID)), "the bytes of a payload are pinned")
}

// body returns the body of the request that brought an event.
func body(got []receiver.Request, eventID string) []byte {
	for _, q := range got {
		if q.Header.Get(verify.HeaderStandardID) == eventID {
			return q.Body
		}
	}
	return nil
}

func TestDeliverDue_RetriesSendTheSameBytesWithAFreshSignature(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	p := newPost(t, nil)
	bad := receiver.Status(500)
	ref := p.Endpoint(t, r.Endpoint("/", bad, bad, bad, receiver.Status(200)), "*")
	p.Announce(t, 1)
	for i, gap := range delivery.TestPolicy.Gaps {
		out := p.due(t, ref, false)
		require.InDelta(t, gap, out.NextAt.Sub(p.Clock.Now()), 0.2*float64(gap), "retry %d", i+1)
		e, err := p.Store.Webhooks.Endpoint(t.Context(), p.Env, ref.ID)
		require.NoError(t, err)
		require.Equal(t, out.NextAt.Truncate(time.Microsecond), e.NextAttemptAt, "the reconciler knows it")
		require.False(t, e.FailingSince.IsZero())
		p.Clock.Set(out.NextAt.Add(time.Second))
	}
	require.Zero(t, p.due(t, ref, false).NextAt)
	got := r.Requests("/")
	require.Len(t, got, 4)
	for i, q := range got {
		require.Equal(t, got[0].Body, q.Body)
		if i > 0 {
			require.Greater(t, q.Header.Get(verify.HeaderTimestamp), got[i-1].Header.Get(verify.HeaderTimestamp))
		}
		seconds, err := strconv.ParseInt(q.Header.Get(verify.HeaderTimestamp), 10, 64)
		require.NoError(t, err)
		require.NoError(t, verify.Verify(q.Header, q.Body, []string{scene.EndpointSecret}, time.Unix(seconds, 0)))
	}
	deliveries, attempts := p.log(t, ref)
	require.Equal(t, delivery.Succeeded, deliveries[0].Status)
	require.Len(t, attempts[deliveries[0].ID], 4)
	require.Equal(t, "status", attempts[deliveries[0].ID][2].ErrorClass)
	e, err := p.Store.Webhooks.Endpoint(t.Context(), p.Env, ref.ID)
	require.NoError(t, err)
	require.True(t, e.FailingSince.IsZero(), "a success ends it")
}

func TestDeliverDue_FailsAfterFourAttempts(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	p := newPost(t, nil)
	ref := p.Endpoint(t, r.Endpoint("/", receiver.Status(503)), "*")
	p.Announce(t, 1)
	for range 4 {
		if next := p.due(t, ref, false).NextAt; !next.IsZero() {
			p.Clock.Set(next.Add(time.Second))
		}
	}
	deliveries, attempts := p.log(t, ref)
	require.Equal(t, delivery.Failed, deliveries[0].Status)
	require.Equal(t, delivery.FailedAttemptsUsed, deliveries[0].FailedReason)
	require.Len(t, attempts[deliveries[0].ID], 4)
	require.Zero(t, p.due(t, ref, false).NextAt)
	require.Len(t, r.Requests("/"), 4)
}

func TestDeliverDue_HonoursRetryAfter(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	p := newPost(t, nil)
	ref := p.Endpoint(t, r.Endpoint("/", receiver.Answer(429, http.Header{"Retry-After": {"9"}}, "")), "*")
	p.Announce(t, 1)
	require.Equal(t, 9*time.Second, p.due(t, ref, false).NextAt.Sub(p.Clock.Now()))
}

func TestDeliverDue_FirstAttemptsOfASubscriptionAreInOrder(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	p := newPost(t, nil)
	ref := p.Endpoint(t, r.Endpoint("/", receiver.Hang(20*time.Millisecond)), "subscription.updated")
	c, plan := p.Customer(t, ""), p.Plan(t, scene.Monthly(1000))
	one, other := p.Subscribe(t, c, plan), p.Subscribe(t, c, plan)
	p.InTx(t, func(tx *db.Tx) error {
		for i := range 20 {
			of := event.OfSubscription([]string{one.ID, other.ID}[i%2], c.ID)
			if err := tx.Emit(t.Context(), p.Env, event.New(event.SubscriptionUpdated{Subscription: of},
				p.Clock.Now())); err != nil {
				return err
			}
		}
		return nil
	})
	p.due(t, ref, true)
	deliveries, _ := p.log(t, ref)
	want := map[string][]string{}
	for _, d := range deliveries {
		want[d.ObjectID] = append(want[d.ObjectID], d.EventID)
	}
	object := map[string]string{}
	for _, d := range deliveries {
		object[d.EventID] = d.ObjectID
	}
	got := map[string][]string{}
	for _, q := range r.Requests("/") {
		eventID := q.Header.Get(verify.HeaderStandardID)
		got[object[eventID]] = append(got[object[eventID]], eventID)
	}
	require.Equal(t, want, got)
}

func TestDeliverDue_SlowReceiverFreesTheFastLane(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	p := newPost(t, nil)
	ref := p.Endpoint(t, r.Endpoint("/", receiver.Hang(time.Second), receiver.Status(200)), "*")
	p.Announce(t, 2)
	began := time.Now()
	out := p.due(t, ref, false)
	require.Less(t, time.Since(began), 900*time.Millisecond)
	require.True(t, out.Slow)
	require.Equal(t, 2, out.Waiting)
	deliveries, attempts := p.log(t, ref)
	require.Zero(t, attempts[deliveries[0].ID][0].EndedAt, "under way")

	p.deliveries.Drain()
	deliveries, _ = p.log(t, ref)
	require.Equal(t, delivery.Succeeded, deliveries[0].Status, "the attempt went on")
	require.Equal(t, delivery.Pending, deliveries[1].Status)

	require.False(t, p.due(t, ref, true).Slow, "a quick answer leads back to the fast lane")
	deliveries, _ = p.log(t, ref)
	require.Equal(t, delivery.Succeeded, deliveries[1].Status)
}

func TestDeliverDue_RotationSignsWithBothSecrets(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	p := newPost(t, nil)
	ref := p.Endpoint(t, r.Endpoint("/"), "*")
	p.change(t, ref, func(e *db.WebhookEndpoint) {
		e.Rotate([]byte("sealed anew"), false, p.Clock.Now())
	})
	p.Announce(t, 1)
	p.due(t, ref, false)
	p.Clock.Add(24 * time.Hour)
	p.Announce(t, 1)
	p.due(t, ref, false)
	got := r.Requests("/")
	require.Len(t, strings.Fields(got[0].Header.Get(verify.HeaderStandardSignature)), 2)
	require.Len(t, strings.Fields(got[1].Header.Get(verify.HeaderStandardSignature)), 1)
}

func TestDeliverDue_ThreeDaysOfFailuresDisable(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	p := newPost(t, nil)
	failing := p.Endpoint(t, r.Endpoint("/bad", receiver.Status(500)), "plan.*")
	other := p.Endpoint(t, r.Endpoint("/good"), "webhook_endpoint.*")
	lastsFor := func(d time.Duration) {
		for until := p.Clock.Now().Add(d); p.Clock.Now().Before(until); {
			p.Announce(t, 1)
			for range 5 {
				if next := p.due(t, failing, false).NextAt; !next.IsZero() {
					p.Clock.Set(next.Add(time.Second))
				}
			}
			p.Clock.Add(6 * time.Hour)
		}
	}
	lastsFor(70 * time.Hour)
	require.Empty(t, p.disabled)
	lastsFor(10 * time.Hour)
	require.Equal(t, []string{failing.ID + " failing"}, p.disabled)
	e, err := p.Store.Webhooks.Endpoint(t.Context(), p.Env, failing.ID)
	require.NoError(t, err)
	require.Equal(t, delivery.DisabledFailing, e.DisabledReason)
	require.Equal(t, 1, p.due(t, other, false).Succeeded, "another endpoint hears of it")

	p.Announce(t, 1)
	require.True(t, p.due(t, failing, false).Gone)
	before, _ := p.log(t, failing)
	p.change(t, failing, func(e *db.WebhookEndpoint) { e.Enable() })
	r.Endpoint("/bad")
	p.Announce(t, 1)
	require.Equal(t, 1, p.due(t, failing, false).Succeeded, "enabled again")
	after, _ := p.log(t, failing)
	require.Len(t, after, len(before)+1, "what happened while it was disabled is not owed")
}

func TestDeliverDue_DisabledEndpointIsOwedNothing(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	p := newPost(t, nil)
	ref := p.Endpoint(t, r.Endpoint("/"), "*")
	p.Announce(t, 3)
	p.change(t, ref, func(e *db.WebhookEndpoint) {
		e.Disable(delivery.DisabledByRequest, p.Clock.Now())
	})
	require.True(t, p.due(t, ref, false).Gone)
	deliveries, _ := p.log(t, ref)
	require.Len(t, deliveries, 3)
	for _, d := range deliveries {
		require.Equal(t, delivery.FailedEndpointDisabled, d.FailedReason)
	}
	require.Empty(t, r.Requests(""))

	p.change(t, ref, func(e *db.WebhookEndpoint) { e.Enable() })
	p.InTx(t, func(tx *db.Tx) error {
		for _, d := range deliveries {
			tx.Redeliver(p.Env, db.Owed{EventID: d.EventID, EndpointID: ref.ID})
		}
		return nil
	})
	require.Equal(t, 3, p.due(t, ref, false).Succeeded)
}

func TestRedeliver_ConsumesNoRetry(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	p := newPost(t, nil)
	ref := p.Endpoint(t, r.Endpoint("/", receiver.Status(200), receiver.Status(500)), "*")
	p.Announce(t, 1)
	p.due(t, ref, false)
	deliveries, _ := p.log(t, ref)
	p.InTx(t, func(tx *db.Tx) error {
		tx.Redeliver(p.Env, db.Owed{EventID: deliveries[0].EventID, EndpointID: ref.ID})
		return nil
	})
	require.Equal(t, 1, p.due(t, ref, false).Failed)
	deliveries, attempts := p.log(t, ref)
	require.Equal(t, delivery.Succeeded, deliveries[0].Status, "it was delivered once")
	require.Equal(t, 1, deliveries[0].Attempts)
	require.True(t, attempts[deliveries[0].ID][1].Manual)
}

func TestDeliverDue_OnATestClockAttemptsAreInRealTime(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	p := newPost(t, nil)
	ref := p.Endpoint(t, r.Endpoint("/"), "*")
	virtual := p.Clock.Now().AddDate(1, 0, 0)
	p.InTx(t, func(tx *db.Tx) error {
		return tx.Emit(t.Context(), p.Env, event.New(event.CustomerUpdated{ID: p.Customer(t, "").ID}, virtual))
	})
	require.Equal(t, 1, p.due(t, ref, false).Succeeded, "a year before the time of the event")
	q := r.Requests("/")[0]
	require.Contains(t, string(q.Body), strconv.FormatInt(virtual.Unix(), 10))
	require.Equal(t, strconv.FormatInt(p.Clock.Now().Unix(), 10), q.Header.Get(verify.HeaderTimestamp))
}
