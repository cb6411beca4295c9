package usage

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCloudEvent_KeysWithoutHashInSourceAreThoseOfBefore(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"/gw": "/gw#1", "/a%20b": "/a%20b#1", "/%C3%A9": "/%C3%A9#1", "/100%": "/100%#1", "/%%2": "/%%2#1",
		"/gw#eu": "/gw%23eu#1", "/gw%23eu": "/gw%2523eu#1", "/gw%2523eu": "/gw%252523eu#1", "/%%25": "/%%2525#1",
	} {
		require.Equal(t, want, CloudEvent{Source: source, ID: "1"}.key())
	}
}

// A key can be decoded, so no two events share one.
func TestCloudEvent_KeysAreDifferent(t *testing.T) {
	t.Parallel()
	text := rapid.StringMatching(`[%#235a]{1,8}`)
	rapid.Check(t, func(t *rapid.T) {
		event := CloudEvent{Source: text.Draw(t, "source"), ID: text.Draw(t, "id")}
		source, id, _ := strings.Cut(event.key(), "#")
		require.Equal(t, event.Source, strings.NewReplacer("%23", "#", "%25", "%").Replace(source))
		require.Equal(t, event.ID, id)
	})
}
