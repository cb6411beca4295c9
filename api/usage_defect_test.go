package api

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A record that meets a defect gets its own error, so that it is not sent again for ever, and the log has the cause.
func TestUsage_DefectIsThatOfOneRecord(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.meter(t, b.test)
	correction := func(key, of string) string {
		return replaceField(usageBody(sub, key, `,"corrects":"`+of+`"`), "quantity", "-1")
	}
	require.Equal(t, 201, b.ask(t, b.test, "POST", "/api/usage", usageBody(sub, "broken", "")).Status)
	_, err := b.pool.Exec(t.Context(), `update usage_records set properties = '[1]'`)
	require.NoError(t, err)

	before := len(b.log.String())
	lines := []string{usageBody(sub, "good", ""), correction("a", "broken"), correction("b", "good")}
	body := `{"records":[` + strings.Join(lines, ",") + `]}`
	out := as[UsageBatch](t, 200, b.ask(t, b.test, "POST", "/api/usage/batch", body))
	require.Equal(t, []int{201, 500, 201}, []int{out.Data[0].Status, out.Data[1].Status, out.Data[2].Status})
	require.Equal(t, "internal", out.Data[1].Error.Code)
	require.Equal(t, 1, strings.Count(b.log.String()[before:], "usage records met a server error"))
	require.Contains(t, b.log.String()[before:], "cannot unmarshal")

	answer := b.ask(t, b.test, "POST", "/api/usage/stream", strings.Join(lines, "\n"), "Content-Type", ndjson)
	require.Contains(t, string(answer.Body), `"line":2,"error":{"code":"internal"`)
	require.Contains(t, string(answer.Body), `"done":true,"accepted":0,"repeated":2,"refused":1`)
}
