package emits

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/event"
)

var performances = map[event.Cause]map[string]func(*stage) func() error{
	event.CauseRequest: union(requests,
		endpoints, accounts, taxes, products, coupons, keys, manualInvoices, metrics,
		creditGrants, paymentMethods, mails, looks), event.CauseTimer: union(timers, draftTimers), event.CauseProvider: answers, event.CauseClock: clocks,
	event.CauseErasure: erasures, event.CauseWebhook: deliveries, event.CauseEmail: sendings, event.CauseUsage: merges,
}

func union[K comparable, V any](sets ...map[K]V) map[K]V {
	all := map[K]V{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}

// Each operation of the table is performed, and emits exactly the events of the table, in that order.
func TestOperations_EmitWhatTheTableSays(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, o := range event.Operations() {
		name := strings.TrimSpace(o.Name + " " + o.When)
		set := performances[o.Cause][name]
		require.NotNil(t, set, "nothing performs the %s %q", o.Cause, name)
		request := set(s)
		entries := s.auditEntries()
		emitted := s.emits(request)
		requireAudited(t, o, s.auditEntries()-entries)
		s.requireChanges(o, s.auditEntries()-entries)
		assert.True(t, slices.Equal(o.Emits, emitted), "%s %s\nemits %s\n  not %s", o.Cause, name, emitted, o.Emits)
	}
	s.RequireSound(t)
}

// Some operation emits every type of the catalogue, and the table has every operation.
func TestOperations_AreComplete(t *testing.T) {
	t.Parallel()
	emitted, named, rows := map[event.Type]bool{}, map[event.Cause][]string{}, map[event.Cause]int{}
	for _, o := range event.Operations() {
		for _, e := range o.Emits {
			emitted[e] = true
		}
		named[o.Cause] = append(named[o.Cause], o.Name)
		rows[o.Cause]++
	}
	for _, data := range event.Catalogue() {
		require.True(t, emitted[data.Type()], "no operation emits %s", data.Type())
	}
	for cause, performed := range performances {
		require.Len(t, performed, rows[cause], "each %s once", cause)
	}
	writes, actions := api(t)
	require.NotEmpty(t, writes)
	require.NotEmpty(t, actions)
	require.Subset(t, named[event.CauseRequest], writes)
	require.Subset(t, named[event.CauseTimer], actions)
	for _, outcome := range []answer.Outcome{
		answer.Succeeded, answer.Declined, answer.Failed, answer.Canceled, answer.Pending,
		answer.Unknown, answer.NotSent, answer.NotFound,
	} {
		require.Contains(t, named[event.CauseProvider], string(outcome))
	}
}

// api reads the OpenAPI document: the operations that write, and the automatic actions of a subscription.
func api(t *testing.T) (writes, actions []string) {
	t.Helper()
	raw, err := os.ReadFile("../../docs/openapi.json")
	require.NoError(t, err)
	var doc struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Enum []string }
			}
		}
	}
	require.NoError(t, json.Unmarshal(raw, &doc))
	for _, methods := range doc.Paths {
		for method, raw := range methods {
			if !slices.Contains([]string{"post", "put", "patch", "delete"}, method) {
				continue
			}
			var o struct{ OperationID string }
			require.NoError(t, json.Unmarshal(raw, &o))
			writes = append(writes, o.OperationID)
		}
	}
	for _, action := range doc.Components.Schemas["Subscription"].Properties["nextAction"].Enum {
		if action != "none" {
			actions = append(actions, action)
		}
	}
	return writes, actions
}
