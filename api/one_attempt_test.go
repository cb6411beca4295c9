package api

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
)

// A request with paymentBehavior error is answered once its attempt is decided, and a repeat of it likewise.
func TestUpdateSubscription_WithOneAttempt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		says   answer.Answer
		status int
		code   string
	}{
		"success": {answer.Answer{Outcome: answer.Succeeded}, 200, ""},
		"decline": {answer.Answer{
			Outcome: answer.Declined, FailureCode: "INSUFFICIENT_FUNDS", FailureReason: "Too little money.",
		}, 402, "payment_declined"},
	} {
		b := newBench(t)
		_, path := b.seatPaid(t)
		ask := func(wait string) response {
			r := b.request(t, "PATCH", path, map[string]any{"quantity": 3, "paymentBehavior": "error"},
				"Authorization", "Bearer "+b.test.key, "Idempotency-Key", "once", "Prefer", wait)
			return b.serve(r)
		}
		waits := as[Subscription](t, 202, ask("wait=1"))
		require.EqualValues(t, 1, waits.Quantity, name)
		require.NotNil(t, waits.PendingChange, name)
		attempt := waits.LatestInvoice.Payment.ID
		answered := make(chan response, 1)
		go func() { answered <- ask("wait=30") }()
		begun := time.Now()
		said := c.says
		said.Amount, said.Currency = 2000, "USD"
		if said.Outcome == answer.Succeeded {
			b.succeed(t, attempt)
		} else {
			b.answered(t, attempt, said)
		}

		got := <-answered

		require.Less(t, time.Since(begun), 20*time.Second, name)
		if c.code == "" {
			require.EqualValues(t, 3, as[Subscription](t, c.status, got).Quantity, name)
			continue
		}
		said402 := problem(t, c.status, c.code, "", got)
		require.Equal(t, "INSUFFICIENT_FUNDS", said402.FailureCode)
		require.Contains(t, said402.Detail, "Too little money.")
		problem(t, c.status, c.code, "", ask("wait=1"))
		now := as[Subscription](t, 200, b.ask(t, b.test, "GET", path, nil))
		require.EqualValues(t, 1, now.Quantity)
		require.Nil(t, now.PendingChange)
	}
}

func TestCreateSubscription_WithOneAttempt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	form := map[string]any{
		"customerId": b.newCustomer(t, b.test).ID, "planId": b.newPlan(t, b.test).ID, "paymentBehavior": "error", "trialDays": 0,
	}
	ask := func() response {
		r := b.request(t, "POST", "/api/subscriptions", form,
			"Authorization", "Bearer "+b.test.key, "Idempotency-Key", "once", "Prefer", "wait=1")
		return b.serve(r)
	}
	made := as[Subscription](t, 202, ask())
	require.Equal(t, "incomplete", made.Status)
	b.decline(t, b.begin(t, made.ID))

	problem(t, 402, "payment_declined", "", ask())

	gone := as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+made.ID, nil))
	require.Equal(t, []string{"canceled", "first_payment_failed"}, []string{gone.Status, gone.CancelReason})
}

// The operations that wait for one attempt answer 202 with the resource and 402, in the document too; no other does.
func TestDocument_StatusesOfOneAttempt(t *testing.T) {
	t.Parallel()
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			Responses   map[string]struct {
				Description string
				Content     map[string]struct{ Schema map[string]any }
			}
		}
	}
	require.NoError(t, json.Unmarshal(Document("test"), &doc))
	shown := map[string]string{"createSubscription": "201", "updateSubscription": "200"}
	for path, item := range doc.Paths {
		for method, operation := range item {
			waits, refused := operation.Responses["202"], operation.Responses["402"]
			success, attempts := shown[operation.OperationID]
			if !attempts {
				require.Empty(t, waits.Description+refused.Description, "%s %s", method, path)
				continue
			}
			delete(shown, operation.OperationID)
			require.Equal(t, operation.Responses[success].Content["application/json"].Schema,
				waits.Content["application/json"].Schema, operation.OperationID)
			require.Contains(t, refused.Description, "Codes: payment_declined, payment_requires_action.")
			require.NotEmpty(t, refused.Content["application/problem+json"].Schema)
		}
	}
	require.Empty(t, shown, "operations that the document lacks")
}
