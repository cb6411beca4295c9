package webhooks

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit/peercases"
	"perennial/webhooks/verify"
)

type signInput struct {
	Secret, ID, Payload string
	Timestamp           int64
	PayloadRepeat       int `json:"payload_repeat"`
}

type verifyInput struct {
	Secret, Payload  string
	PayloadRepeat    int `json:"payload_repeat"`
	Headers          map[string]string
	Now              int64
	ToleranceSeconds int  `json:"tolerance_seconds"`
	IgnoreTimestamp  bool `json:"ignore_timestamp"`
}

type retryAfterInput struct {
	Header string
	Now    time.Time
}

func repeated(payload string, times int) []byte {
	return []byte(strings.Repeat(payload, max(1, times)))
}

func TestPeerCases_Webhooks(t *testing.T) {
	t.Parallel()
	peercases.Suite{
		Category: "h_webhooks",
		Readers: map[string]peercases.Reader{
			"sign": peercases.NewReader(func(t *testing.T, in signInput, want struct{ Signature string }) {
				header, err := Sign(in.ID, time.Unix(in.Timestamp, 0), repeated(in.Payload, in.PayloadRepeat), in.Secret)
				require.NoError(t, err)
				require.Equal(t, want.Signature, header.Get("webhook-signature"))
			}),
			"verify": peercases.NewReader(checkVerify),
			"secret": peercases.NewReader(func(t *testing.T, in struct{ Secret string }, want struct{ Valid bool }) {
				require.Equal(t, want.Valid, CheckSecret(in.Secret) == nil)
			}),
			"retry_after": peercases.NewReader(func(t *testing.T, in retryAfterInput, want struct{ Seconds int64 }) {
				require.Equal(t, time.Duration(want.Seconds)*time.Second, retryAfter(in.Header, in.Now))
			}),
		},
		Excluded: []peercases.Exclusion{
			{Rule: "standard-webhooks-v1a", Reason: "ours signs with a shared secret only"},
			{Kind: "sign", When: timestampIsText, Reason: "the type of a timestamp rules out text"},
			{
				Rule: "secret-format", When: onlyOursAccepts,
				Reason: "ours takes any secret of 16 to 256 characters and keys with its characters",
			},
		},
	}.Run(t)
}

func checkVerify(t *testing.T, in verifyInput, want struct{ Valid bool }) {
	require.Equal(t, verify.MaxAge, time.Duration(in.ToleranceSeconds)*time.Second)
	header := http.Header{}
	for name, value := range in.Headers {
		header.Set(name, value)
	}
	now := time.Unix(in.Now, 0)
	if in.IgnoreTimestamp {
		seconds, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
		require.NoError(t, err)
		now = time.Unix(seconds, 0)
	}
	err := verify.Verify(header, repeated(in.Payload, in.PayloadRepeat), []string{in.Secret}, now)
	require.Equal(t, want.Valid, err == nil, "%v", err)
}

func timestampIsText(c peercases.Case) bool {
	var in struct{ Timestamp json.RawMessage }
	return json.Unmarshal(c.Input, &in) == nil && strings.HasPrefix(string(in.Timestamp), `"`)
}

// onlyOursAccepts reports whether a secret is long enough for us, but not in the form that the rule asks for.
func onlyOursAccepts(c peercases.Case) bool {
	var in struct{ Secret string }
	if json.Unmarshal(c.Input, &in) != nil || len(in.Secret) < 16 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(in.Secret, "whsec_"))
	return err != nil || len(key) < 24 || len(key) > 64
}
