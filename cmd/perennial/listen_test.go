package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
	"perennial/internal/testkit/receiver"
	"perennial/webhooks/verify"
)

// follower is a listener in a process of its own, against a real API.
type follower struct {
	args   []string
	env    []string
	stderr *bytes.Buffer
	*exec.Cmd
}

func (f *follower) start(t *testing.T) {
	t.Helper()
	f.stderr = new(bytes.Buffer)
	f.Cmd = exec.CommandContext(t.Context(), os.Args[0], f.args...)
	f.Env, f.Stderr = append(f.env, asProgram+"=1"), f.stderr
	require.NoError(t, f.Start())
	t.Cleanup(func() { f.Process.Kill(); f.Wait() })
}

// emit causes n events, one for each customer that it creates.
func emit(ctx context.Context, address, key string, n int) error {
	for i := range n {
		body := fmt.Sprintf(`{"email":"c%d@example.com","name":"C"}`, i)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/api/customers",
			strings.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+key)
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		response.Body.Close()
		if response.StatusCode != http.StatusCreated {
			return fmt.Errorf("customer %d: %s", i, response.Status)
		}
	}
	return nil
}

// A listener that is killed and started again loses no event and keeps their order. The event that it was sending comes
// twice, with the same id.
func TestListen_SurvivesKills(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	key := create(t, env, "--scope", "*")
	start(t, env, "api")
	address := env["LISTEN_ADDRESS"]
	eventually(t, "the API answers", func() bool {
		return perennial(t, nil, "healthcheck", "--url", "http://"+env["METRICS_ADDRESS"]+"/readyz").code == cli.ExitDone
	})
	r := receiver.New(t)
	state := filepath.Join(t.TempDir(), "listen.json")
	f := &follower{
		args: []string{
			"listen", "--forward-to", r.Endpoint("/hook", receiver.Hang(5*time.Millisecond)), "--interval", "20ms", "--state",
			state,
		},
		env: []string{"PERENNIAL_API_URL=http://" + address, "PERENNIAL_API_KEY=" + key},
	}
	f.start(t)
	eventually(t, "the listener has begun", func() bool { _, err := os.Stat(state); return err == nil })

	const kills, each = 5, 12
	for n := range kills {
		emitted := make(chan error, 1)
		go func() { emitted <- emit(t.Context(), address, key, each) }()
		r.Wait(t, "/hook", n*each+each/2, time.Minute)
		require.NoError(t, f.Process.Kill())
		f.Wait()
		require.NoError(t, <-emitted, "some of them while nobody listens")
		f.start(t)
	}
	var events struct{ Data []struct{ ID string } }
	require.NoError(t, json.Unmarshal([]byte(get(t, "http://"+address+"/api/events?limit=100", key)), &events))
	require.Len(t, events.Data, kills*each)
	var want []string
	for _, e := range slices.Backward(events.Data) {
		want = append(want, e.ID)
	}
	eventually(t, "the newest event has arrived", func() bool {
		return slices.ContainsFunc(r.Requests("/hook"), func(q receiver.Request) bool {
			return q.Header.Get("webhook-id") == want[len(want)-1]
		})
	})
	eventually(t, "its place is kept", func() bool { // which comes after the receiver's answer
		return keptIn(state).Cursor == want[len(want)-1]
	})
	require.NoError(t, f.Process.Signal(syscall.SIGINT))
	require.NoError(t, f.Wait(), "Ctrl-C is an orderly end:\n%s", f.stderr)
	require.Contains(t, f.stderr.String(), "run it again to continue after "+want[len(want)-1])

	var got []string
	for _, q := range r.Requests("/hook") {
		require.NoError(t, verify.Verify(q.Header, q.Body, []string{keptIn(state).Secret}, q.At))
		got = append(got, q.Header.Get("webhook-id"))
	}
	twice := len(got) - len(slices.Compact(slices.Clone(got)))
	require.Equal(t, want, slices.Compact(got), "in order, none lost, repeats only right behind the first")
	require.LessOrEqual(t, twice, kills)
	t.Logf("%d events, %d kills, %d sent twice", len(want), kills, twice)
	require.NotContains(t, f.stderr.String(), key)
	info, err := os.Stat(state)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it holds a secret")
}

// kept has what a listener keeps between runs.
type kept struct{ Cursor, Secret string }

// keptIn reads it; while there is none, it is zero.
func keptIn(path string) (k kept) {
	raw, _ := os.ReadFile(path)
	_ = json.Unmarshal(raw, &k)
	return k
}

// scripted is an API that knows a few events, newest last, and may answer something else first.
func scripted(t *testing.T, events []string, first ...receiver.Step) (env map[string]string) {
	t.Helper()
	var steps []receiver.Step
	steps = append(steps, first...)
	var list []map[string]any
	for i, id := range slices.Backward(events) {
		list = append(list, map[string]any{
			"id": id, "type": []string{"payment.success", "customer.created"}[i%2], "created": 1763640000,
			"data": map[string]string{"id": "x"},
		})
	}
	raw, err := json.Marshal(map[string]any{"data": list, "hasMore": false})
	require.NoError(t, err)
	r := receiver.New(t)
	r.Endpoint("/api/events", append(steps,
		receiver.Answer(200, nil, string(raw)), receiver.Answer(200, nil, `{"data":[],"hasMore":false}`))...)
	return map[string]string{"PERENNIAL_API_URL": r.URL, "PERENNIAL_API_KEY": "sk_test_abc", "XDG_STATE_HOME": t.TempDir()}
}

func TestListen_PrintsPayloads(t *testing.T) {
	t.Parallel()
	env := scripted(t, []string{"evt_1", "evt_2", "evt_3"}, receiver.Status(503),
		receiver.Answer(200, nil, `{"data":[],"hasMore":false}`))
	listening := start(t, env, "listen", "--json", "--shape", "B", "--events", "payment.*", "--interval", "10ms")
	eventually(t, "the position is the last event", func() bool {
		files, err := filepath.Glob(filepath.Join(env["XDG_STATE_HOME"], "perennial", "listen-*.json"))
		if err != nil || len(files) != 1 {
			return false
		}
		return keptIn(files[0]).Cursor == "evt_3"
	})
	got := listening.stop()
	require.Equal(t, cli.ExitDone, got.code, got.stderr)
	want := `{"id":"evt_1","object":"event","type":"payment.success","created":1763640000,"data":{"object":{"id":"x","object":"payment"}}}
{"id":"evt_3","object":"event","type":"payment.success","created":1763640000,"data":{"object":{"id":"x","object":"payment"}}}
`
	require.Equal(t, want, got.stdout, "the bytes of payloads, one a line")
	require.Contains(t, got.stderr, "listen: waiting for the API: the API answers 503")
	require.Contains(t, got.stderr, "listen: stopped; run it again to continue after evt_3")
}

// Events wait for a receiver that is away or goes away, and its answer is final, whatever it is.
func TestListen_ReceiverAway(t *testing.T) {
	t.Parallel()
	env := scripted(t, []string{"evt_1", "evt_2"})
	r := receiver.New(t)
	url := r.Endpoint("/", receiver.Reset(), receiver.Raw(""), receiver.Status(500), receiver.Status(200))
	listening := start(t, env, "listen", "--forward-to", url, "--after", "evt_0", "--interval", "10ms")
	r.Wait(t, "/", 4, time.Minute)
	eventually(t, "the second was answered", func() bool { return strings.Contains(stateIn(t, env), "evt_2") })
	got := listening.stop()
	require.Equal(t, cli.ExitDone, got.code, got.stderr)
	require.Regexp(t, `^\d\d:\d\d:\d\d  payment.success +evt_1 -> The receiver answered 500. Only 200 counts as received.
\d\d:\d\d:\d\d  customer.created +evt_2 -> 200 in \d+.*s
$`, got.stdout)
	require.Equal(t, 1, strings.Count(got.stderr, "evt_1 waits for the receiver: The receiver closed the connection"),
		got.stderr)
	var ids []string
	for _, q := range r.Requests("/") {
		ids = append(ids, q.Header.Get("webhook-id"))
	}
	require.Equal(t, []string{"evt_1", "evt_1", "evt_1", "evt_2"}, ids)
}

func stateIn(t *testing.T, env map[string]string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(env["XDG_STATE_HOME"], "perennial", "listen-*.json"))
	require.NoError(t, err)
	if len(files) != 1 {
		return ""
	}
	raw, err := os.ReadFile(files[0])
	require.NoError(t, err)
	return string(raw)
}

func TestListen_Fails(t *testing.T) {
	t.Parallel()
	problem := func(status int, code, detail string) receiver.Step {
		return receiver.Answer(status, nil, fmt.Sprintf(`{"code":%q,"detail":%q}`, code, detail))
	}
	for name, c := range map[string]struct {
		first receiver.Step
		args  []string
		unset string
		code  int
		says  string
	}{
		"key refused": {first: problem(401, "api_key_unknown", "No such key."), code: cli.ExitFailed,
			says: "the API answers 401: No such key. [api_key_unknown]"},
		"place unknown": {first: problem(422, "cursor_unknown", "No such event."), args: []string{"--after", "evt_9"},
			code: cli.ExitFailed, says: "Continue with --from-now"},
		"another server": {first: receiver.Status(404), code: cli.ExitFailed, says: "is PERENNIAL_API_URL right?"},
		"no key":         {unset: "PERENNIAL_API_KEY", code: cli.ExitFailed, says: "PERENNIAL_API_KEY"},
		"no home":        {unset: "XDG_STATE_HOME", code: cli.ExitFailed, says: "name a file with --state"},
		"no such type": {
			args: []string{"--events", "payment.*,pay*"}, code: cli.ExitUsage, says: `There is no event type "pay*"`,
		},
		"bad shape":  {args: []string{"--shape", "C"}, code: cli.ExitUsage, says: "--shape is A or B"},
		"bad URL":    {args: []string{"--forward-to", "ftp://x"}, code: cli.ExitUsage, says: "--forward-to"},
		"two places": {args: []string{"--after", "evt_1", "--from-now"}, code: cli.ExitUsage, says: "not both"},
		"too often":  {args: []string{"--interval", "1ms"}, code: cli.ExitUsage, says: "at least 10ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var first []receiver.Step
			if c.first != nil {
				first = append(first, c.first)
			}
			env := scripted(t, nil, first...)
			delete(env, c.unset)
			got := perennial(t, env, append([]string{"listen"}, c.args...)...)
			require.Equal(t, c.code, got.code, got.stderr)
			require.Contains(t, got.stderr, c.says)
			require.NotContains(t, got.stderr, "sk_test_abc")
		})
	}
}

func TestListen_DamagedState(t *testing.T) {
	t.Parallel()
	env := scripted(t, nil)
	file := filepath.Join(t.TempDir(), "state.json")
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o600))
	got := perennial(t, env, "listen", "--state", file)
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, got.stderr, file+" does not hold the state of listen: delete it")
}
