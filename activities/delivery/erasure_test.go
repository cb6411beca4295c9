package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit/receiver"
	"perennial/test/life"
	"perennial/test/scene"
)

// An erasure removes, in its batches, the answers of receivers about a customer, and later answers are not kept. The
// log itself stays.
func TestErasure_TakesAnswersOfReceivers(t *testing.T) {
	t.Parallel()
	p, r := newPost(t, nil), receiver.New(t)
	canary := receiver.Answer(200, nil, "canary: access of Ada Lovelace is open")
	ref := p.Endpoint(t, r.Endpoint("/", canary), "*")
	gone, stays, plan := p.Customer(t, ""), p.Customer(t, ""), p.Plan(t, scene.Monthly(1000))
	for range 5 {
		p.Subscribe(t, gone, plan)
	}
	p.Subscribe(t, stays, plan)
	p.due(t, ref, false)
	answers := func(customerID string) int {
		return life.Count(t, p.Scene, `select count(*) from webhook_attempts a
			join webhook_deliveries d on d.environment_id = a.environment_id and d.id = a.delivery_id
			join events e on e.environment_id = d.environment_id and e.id = d.event_id
			where convert_from(a.response_excerpt, 'utf8') ~ 'canary' and e.customer_id = $1`, customerID)
	}
	before, kept := answers(gone.ID), answers(stays.ID)
	require.GreaterOrEqual(t, before, 5)
	require.Positive(t, kept)
	attempts := life.Count(t, p.Scene, "select count(*) from webhook_attempts")

	erasure := life.DeleteCustomer(t, p.Scene, gone.ID)
	require.Positive(t, life.EraseAll(t, p.Scene, erasure, 2))
	require.Zero(t, answers(gone.ID))
	require.Equal(t, kept, answers(stays.ID), "another customer's")
	require.Equal(t, attempts, life.Count(t, p.Scene, "select count(*) from webhook_attempts"),
		"that it was delivered stays")

	p.due(t, ref, false) // customer.deleted, and that the subscriptions were canceled
	require.Greater(t, life.Count(t, p.Scene, "select count(*) from webhook_attempts"), attempts)
	require.Zero(t, answers(gone.ID), "nor what they answer now")
}
