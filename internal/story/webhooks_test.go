package story

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStory_PrintsWebhooksBesideSteps(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	out, _, err := play(t, f, false)
	require.NoError(t, err, out)
	_, after, found := strings.Cut(out, "third retry, 4 days later")
	require.True(t, found)
	require.Equal(t, []string{
		"               → payment.failed                     19.00 USD",
		"               → invoice.payment_failed             19.00 USD",
		"               → subscription.past_due              Ada Lovelace",
		"               → test_clock.advanced                7 May 09:00",
	}, strings.Split(after, "\n")[1:5])
	require.Equal(t, len(f.statuses), strings.Count(out, "→"), "every delivery is printed")
}

func TestStory_StopsAtUnexpectedWebhooks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bend func(sent []happening) []happening
		says string
	}{
		"missing": {func(s []happening) []happening {
			return s[1:]
		}, `event: expected "payment.failed, 19.00 USD", which did not arrive`},
		"of another amount": {func(s []happening) []happening {
			s[0].data = strings.Replace(s[0].data, "1900", "1901", 1)
			return s
		}, `event: got "payment.failed, 19.01 USD", which is not expected`},
		"twice": {func(s []happening) []happening {
			return append(s, s[2])
		}, `event: got "subscription.past_due, Ada Lovelace", which is not expected`},
		"in another order": {func(s []happening) []happening {
			slices.Reverse(s)
			return s
		}, `events: expected the order ["payment.failed, 19.00 USD"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.send[may7] = c.bend(slices.Clone(f.send[may7]))
			out, _, err := play(t, f, false)
			var deviation *Deviation
			require.ErrorAs(t, err, &deviation, out)
			require.Equal(t, "third retry, 4 days later", deviation.Step)
			require.Contains(t, strings.Join(deviation.Differences, "\n"), c.says)
			require.Contains(t, out, "    ✗ "+deviation.Differences[0], "the reader sees it too")
			require.Empty(t, f.endpoints, "also deleted after a deviation")
		})
	}
}

func TestStory_RefusesForgedWebhooks(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.deliver = func(_ string, _ http.Header, body []byte) [][]byte {
		return [][]byte{[]byte(strings.Replace(string(body), `"timestamp":1`, `"timestamp":2`, 1))}
	}
	out, _, err := play(t, f, false)
	var deviation *Deviation
	require.ErrorAs(t, err, &deviation, out)
	require.Contains(t, out, `event: expected "plan.created, Starter", which did not arrive`)
	require.Contains(t, out, "the receiver refused a delivery: webhook mismatch")
	require.Equal(t, []int{http.StatusUnauthorized, http.StatusUnauthorized}, f.statuses)
}

func TestStory_CountsRepeatedDeliveriesOnce(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.deliver = func(_ string, _ http.Header, body []byte) [][]byte { return [][]byte{body, body} }
	out, _, err := play(t, f, false)
	require.NoError(t, err, out)
	require.Equal(t, len(f.statuses), 2*strings.Count(out, "→"))
}

// An environment that was kept may have subscriptions that renew during the story.
func TestStory_IgnoresWebhooksOfOtherCustomers(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.send[march31] = append(f.send[march31],
		happening{"payment.success", `{"id":"txn_9","customerId":"cust_9","amount":5,"currency":"USD"}`})
	out, _, err := play(t, f, false)
	require.NoError(t, err, out)
	require.NotContains(t, out, "0.05 USD")
}

func TestStory_LeavesNoEndpoint(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.endpoints["whe_left"] = object{"id": "whe_left", "description": endpointName}
	f.endpoints["whe_other"] = object{"id": "whe_other", "description": "of the environment's user"}
	out, _, err := play(t, f, false)
	require.NoError(t, err, out)
	require.Len(t, f.endpoints, 1)
	require.Contains(t, f.endpoints, "whe_other")
	require.Empty(t, f.faults)
}

// The sequence decides, not the order of arrival and not the id.
func TestArrange_SubscriptionEventsBySequence(t *testing.T) {
	t.Parallel()
	of := func(id string, sequence int64) (e event) {
		e.id, e.Data.Sequence = id, sequence
		return e
	}
	events := []event{of("evt_4", 8), of("evt_1", 0), of("evt_3", 9), of("evt_5", 0), of("evt_2", 7)}
	arrange(events)
	require.Equal(t,
		[]event{of("evt_1", 0), of("evt_2", 7), of("evt_4", 8), of("evt_3", 9), of("evt_5", 0)}, events)
}
