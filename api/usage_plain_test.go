package api

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var requestID = regexp.MustCompile(`req_[0-9a-z]+`)

// However a record is written down, its answer is the same: the plain form is read by a reader of its own.
func TestUsage_SameAnswersToPlainAndOtherForms(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.meter(t, b.test)
	unplain := func(body string) string { return strings.Replace(body, `"metricName"`, `"\u006detricName"`, 1) }
	same := func(want, got response) {
		t.Helper()
		for _, header := range []http.Header{want.Header, got.Header} {
			for _, name := range []string{"X-Request-Id", "Ratelimit", "Date"} {
				header.Del(name)
			}
		}
		require.Equal(t, want.Status, got.Status)
		require.Equal(t, want.Header, got.Header)
		id := func(r response) string { return requestID.ReplaceAllString(string(r.Body), "req_") }
		require.Equal(t, id(want), id(got))
	}
	body := usageBody(sub, "k1", fmt.Sprintf(`,"timestamp":%d,"properties":{"region":"eu","tries":3,"ok":true}`, b.base.Unix()))
	first := b.ask(t, b.test, "POST", "/api/usage", body)
	require.Equal(t, 201, first.Status)
	repeated := b.ask(t, b.test, "POST", "/api/usage", body)
	same(b.ask(t, b.test, "POST", "/api/usage", unplain(body)), repeated)
	require.Equal(t, string(first.Body), string(repeated.Body))
	instead := func(of, is string) string { return strings.Replace(body, of, is, 1) }
	for _, refused := range []string{
		instead(`"api_calls"`, `"sms"`), instead("2.5", "1.0000000000001"), instead("2.5", "7"), instead(sub, "sub_none"),
	} {
		same(b.ask(t, b.test, "POST", "/api/usage", unplain(refused)), b.ask(t, b.test, "POST", "/api/usage", refused))
	}
	same(b.ask(t, b.test, "POST", "/api/usage?x=1", unplain(body)), b.ask(t, b.test, "POST", "/api/usage?x=1", body))
	batch := `{"records":[` + body + "," + instead(`"api_calls"`, `"sms"`) + "]}"
	same(b.ask(t, b.test, "POST", "/api/usage/batch", unplain(batch)), b.ask(t, b.test, "POST", "/api/usage/batch", batch))
}
