package delivery

import (
	"context"
	"net/http"
	"strings"
	"time"

	"perennial/billing/delivery"
	"perennial/db"
	"perennial/internal/failpoint"
	"perennial/webhooks"
	"perennial/webhooks/verify"
)

// attempt is one POST under way.
type attempt struct {
	start db.AttemptStart
	due   db.DueDelivery
	ready time.Time // when it was written; zero: not yet
	began time.Time // when it was sent; zero: not yet
	slot  func()    // gives the app's slot back
}

// holdsKey names the events that wait for this attempt to end; empty: none do.
func (t attempt) holdsKey() string { return holds(t.due) }

func holds(d db.DueDelivery) string {
	if d.State.Attempts > 0 {
		return ""
	}
	return d.OrderingKey
}

// answered is the end of an attempt.
type answered struct {
	attempt
	result  webhooks.Result
	headers map[string]string
	at      time.Time
}

// post makes the attempt. The end of the activity does not interrupt it: an attempt that a receiver may have got is
// recorded.
func (r *run) post(ctx context.Context, t attempt) answered {
	failpoint.Hit(failpoint.AttemptStarted)
	young := time.AfterFunc(r.slowAfter(), t.slot)
	defer young.Stop()
	defer t.slot()
	result, headers := r.exchange(context.WithoutCancel(ctx), t)
	failpoint.Hit(failpoint.AttemptAnswered)
	return answered{attempt: t, result: result, headers: headers, at: r.Clock()}
}

// exchange signs and sends the frozen bytes of the event. They follow from columns that never change but by an erasure.
func (r *run) exchange(ctx context.Context, t attempt) (webhooks.Result, map[string]string) {
	d := t.due
	body, err := webhooks.Body(d.PayloadShape, webhooks.Message{
		ID: d.EventID, Type: d.EventType, Timestamp: d.OccurredAt, Sequence: d.Sequence, Data: d.Data,
	})
	if err != nil {
		return refusal(err), nil
	}
	header, err := webhooks.Sign(d.EventID, r.Clock(), body, r.secrets...)
	if err != nil {
		return refusal(err), nil
	}
	result := r.Sender.Send(ctx, webhooks.Request{
		URL: r.endpoint.URL, Live: r.endpoint.Mode == "live", Header: header, Body: body,
	})
	return result, logged(header)
}

// refusal is an attempt that could not be made for a fault of ours.
func refusal(err error) webhooks.Result {
	return webhooks.Result{Failure: webhooks.FailedOther, Detail: "The request could not be made: " + err.Error()}
}

// signatures are the headers that are not kept.
var signatures = []string{verify.HeaderSignature, verify.HeaderSignaturePrevious, verify.HeaderStandardSignature}

// logged are the headers of a request without its signatures.
func logged(h http.Header) map[string]string {
	kept := make(map[string]string, len(h))
	for name, values := range h {
		kept[name] = strings.Join(values, ", ")
	}
	for _, name := range signatures {
		delete(kept, http.CanonicalHeaderKey(name))
	}
	return kept
}

// end returns the consequences of an answer.
func (r *run) end(a answered) db.AttemptEnd {
	end := delivery.End{
		Outcome: delivery.OutcomeFailed, At: a.at, RetryAfter: a.result.RetryAfter, Gone: a.result.Gone(),
	}
	switch {
	case a.result.Delivered():
		end.Outcome = delivery.OutcomeSucceeded
	case a.result.Failure == webhooks.FailedCanceled:
		end.Outcome = delivery.OutcomeUnknown // our fault, not the receiver's
	}
	e := db.AttemptEnd{
		AttemptStart: a.start, End: end, Next: r.policy(r.endpoint.Mode).Next(a.due.State, end),
		AttemptResult: db.AttemptResult{
			StatusCode: a.result.Status, Latency: a.result.Latency, RequestHeaders: a.headers,
			ResponseExcerpt: []byte(a.result.Excerpt),
		},
	}
	if end.Outcome == delivery.OutcomeFailed {
		e.ErrorClass, e.ErrorText = string(a.result.Failure), a.result.Detail
	}
	return e
}
