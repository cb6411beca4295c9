package workflows_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"perennial/contract"
	"perennial/internal/devstack"
	"perennial/workflows"
)

// update records, on the real server, the scenarios that have no golden history yet:
//
//	go test ./workflows -run TestGolden -update
//
// What is recorded stays: a change of code that cannot replay it would break every workflow that is asleep at the
// moment of a deployment. Use workflow.GetVersion.
var update = flag.Bool("update", false, "record the golden histories that are missing")

const goldenDir = "testdata/histories"

func TestGolden_HistoriesReplay(t *testing.T) {
	t.Parallel()
	if *update {
		recordMissing(t)
	}
	files, err := filepath.Glob(filepath.Join(goldenDir, "*.json"))
	require.NoError(t, err)
	var want []string
	for name := range recordings {
		want = append(want, goldenFile(name))
	}
	require.ElementsMatch(t, want, files, "every scenario has its history, and every history its scenario")
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			requireNothingPersonal(t, raw)
			history, err := client.HistoryFromJSON(bytes.NewReader(raw), client.HistoryJSONOptions{})
			require.NoError(t, err)
			require.Greater(t, len(history.GetEvents()), 5, "a history of nothing")
			require.NoError(t, replayer(t).ReplayWorkflowHistory(devstack.Silent{}, history))
		})
	}
}

// A replay must be able to fail: a history with a step left out is not one of our code.
func TestGolden_ReplayNoticesAnotherOrder(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(goldenDir, "renewal.json"))
	require.NoError(t, err)
	raw = bytes.ReplaceAll(raw, []byte(`"Charge"`), []byte(`"CheckPayment"`))
	history, err := client.HistoryFromJSON(bytes.NewReader(raw), client.HistoryJSONOptions{})
	require.NoError(t, err)
	require.ErrorContains(t, replayer(t).ReplayWorkflowHistory(devstack.Silent{}, history), "nondeterministic")
}

func replayer(t *testing.T) worker.WorkflowReplayer {
	t.Helper()
	r := worker.NewWorkflowReplayer()
	for name, definition := range map[string]any{
		contract.SubscriptionWorkflow: workflows.Subscription,
		contract.PaymentWorkflow:      workflows.Payment,
		contract.TestClockWorkflow:    workflows.TestClock,
		contract.ReconcilerWorkflow:   workflows.Reconciler,
		contract.ErasureWorkflow:      workflows.Erasure,

		contract.WebhookEndpointWorkflow: workflows.WebhookEndpoint,
		contract.EmailSenderWorkflow:     workflows.EmailSender,
	} {
		r.RegisterWorkflowWithOptions(definition, workflow.RegisterOptions{Name: name})
	}
	return r
}

// canaries match data of the scenes' customers that must never be in a history.
var canaries = regexp.MustCompile(`(?i)canary|pm_|cus_|pi_txn|sk_test|@|sealed|funds`)

// requireNothingPersonal looks through all strings, payloads among them.
func requireNothingPersonal(t *testing.T, raw []byte) {
	t.Helper()
	var tree any
	require.NoError(t, json.Unmarshal(raw, &tree))
	var walk func(any)
	walk = func(node any) {
		switch n := node.(type) {
		case map[string]any:
			for _, child := range n {
				walk(child)
			}
		case []any:
			for _, child := range n {
				walk(child)
			}
		case string:
			require.False(t, canaries.MatchString(n), "%q is in a history", n)
			if plain, err := base64.StdEncoding.DecodeString(n); err == nil && json.Valid(plain) {
				require.False(t, canaries.Match(plain), "%q is in a history", plain)
			}
		}
	}
	walk(tree)
}

// The names of the recording machine are removed.
var (
	identities = regexp.MustCompile(`"identity":"[^"]*"`)
	sticky     = regexp.MustCompile(`"name":"[^"]*:[0-9a-f-]{36}"`)
)

func goldenFile(name string) string { return filepath.Join(goldenDir, name+".json") }

// golden writes one history, an event a line.
func golden(t *testing.T, name string, events []*historypb.HistoryEvent) {
	t.Helper()
	var out bytes.Buffer
	out.WriteString("{\"events\":[\n")
	for i, e := range events {
		raw, err := temporalproto.CustomJSONMarshalOptions{}.Marshal(e)
		require.NoError(t, err)
		var line bytes.Buffer
		require.NoError(t, json.Compact(&line, raw))
		text := identities.ReplaceAll(line.Bytes(), []byte(`"identity":"worker"`))
		out.Write(sticky.ReplaceAll(text, []byte(`"name":"sticky"`)))
		if i < len(events)-1 {
			out.WriteString(",")
		}
		out.WriteString("\n")
	}
	out.WriteString("]}\n")
	require.NoError(t, os.MkdirAll(goldenDir, 0o755))
	require.NoError(t, os.WriteFile(goldenFile(name), out.Bytes(), 0o644))
}
