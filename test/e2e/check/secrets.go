package check

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/proto"

	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// personal has the data that only the rows and answers of customers may have: people, and the tokens of their cards.
var personal = []string{load.Canary, "pm_card_", "pm_sim_", "pmd_card_", "pmd_sim_", load.CanaryPhone}

// bait is data of the provider that no client may pass on.
var bait = []string{"_secret_simulated", "holder@example.com", "Casey Holder"}

// discreet: secrets appear nowhere, and personal data only where it belongs: not in logs, not in Temporal, not in
// events.
func discreet(t testing.TB, w *world.World) {
	t.Helper()
	nowhere := map[string]string{}
	for what, secret := range w.Secrets {
		nowhere[secret] = what
	}
	for _, text := range bait {
		nowhere[text] = "what the provider says about the card's holder"
	}
	private := map[string]string{}
	for _, text := range personal {
		private[text] = "personal data"
	}
	for _, p := range w.Programs() {
		if p != w.Provider && p.Starts() > 0 {
			absent(t, p.Log(t), "the log", nowhere, private)
		}
	}
	histories := histories(t, w)
	require.NotEmpty(t, histories)
	for id, history := range histories {
		absent(t, history, "Temporal's history of "+id, nowhere, private)
	}
	for _, env := range w.Environments {
		for _, a := range env.Answers() {
			absent(t, string(a.Body), a.Method+" "+a.Path, nowhere)
		}
	}
	for _, row := range column(t, w, "select data::text from events") {
		absent(t, row, "an event", nowhere, private)
	}
	for _, row := range column(t, w, "select response::text from provider_calls where response is not null") {
		absent(t, row, "a provider's stored answer", nowhere)
	}
}

func absent(t testing.TB, text, where string, forbidden ...map[string]string) {
	t.Helper()
	for _, list := range forbidden {
		for secret, what := range list {
			at := strings.Index(text, secret)
			if at >= 0 {
				require.Fail(t, what+" is in "+where, "… %q …", text[max(0, at-80):min(len(text), at+len(secret)+80)])
			}
		}
	}
}

// histories are all runs that Temporal keeps, as it keeps them.
func histories(t testing.TB, w *world.World) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := w.Client(t)
	out := map[string]string{}
	var page []byte
	for {
		list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
			Query: "WorkflowType in ('Subscription', 'Payment', 'TestClock')", PageSize: 500, NextPageToken: page,
		})
		require.NoError(t, err)
		for _, e := range list.GetExecutions() {
			var text strings.Builder
			memo, err := proto.Marshal(e)
			require.NoError(t, err)
			text.Write(memo)
			events := c.GetWorkflowHistory(ctx, e.GetExecution().GetWorkflowId(), e.GetExecution().GetRunId(), false,
				enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
			for events.HasNext() {
				event, err := events.Next()
				require.NoError(t, err)
				raw, err := proto.Marshal(event)
				require.NoError(t, err)
				text.Write(raw)
			}
			out[e.GetExecution().GetWorkflowId()+"/"+e.GetExecution().GetRunId()] = text.String()
		}
		if page = list.GetNextPageToken(); len(page) == 0 {
			return out
		}
	}
}
