package api

import (
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/db"
)

func TestAPIKeys_OpenWhatTheySay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Key](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/api-keys",
		`{"name":"shop","scopes":["read"],"allowedCidrs":["10.1.2.3/8"],"expiresAt":4102444800}`))
	require.Equal(t, Key{
		ID: made.ID, Name: "shop", Key: made.Key, Hint: "sk_test_…" + made.Key[len(made.Key)-4:], Kind: "secret",
		Scopes: []string{"read"}, AllowedCIDRs: []string{"10.0.0.0/8"}, ExpiresAt: 4102444800, CreatedAt: made.CreatedAt,
	}, made)
	reads := func(key string, want int) {
		t.Helper()
		got := b.send(t, "GET", "/api/plans", nil, "Authorization", "Bearer "+key)
		require.Equal(t, want, got.Status, "%s", got.Body)
	}
	reads(made.Key, http.StatusForbidden) // from elsewhere
	open := as[Key](t, http.StatusCreated, b.ask(t, b.test, "POST", "/v1/api-keys", `{"kind":"publishable"}`))
	reads(open.Key, http.StatusOK)

	shown := as[Key](t, http.StatusOK, b.ask(t, b.test, "GET", "/api/api-keys/"+made.ID, nil))
	require.Empty(t, shown.Key, "a key is shown once")
	renamed := as[Key](t, http.StatusOK, b.ask(t, b.test, "PATCH", "/api/api-keys/"+made.ID, `{"name":"shop 2"}`))
	require.Equal(t, "shop 2", renamed.Name)

	as[Key](t, http.StatusOK, b.ask(t, b.test, "POST", "/api/api-keys/"+open.ID+"/revoke", nil))
	reads(open.Key, http.StatusUnauthorized)
	problem(t, http.StatusConflict, "api_key_ended", "", b.ask(t, b.test, "POST", "/api/api-keys/"+open.ID+"/revoke", nil))
	listed := func(query string) int {
		return len(as[httpkit.List[Key]](t, http.StatusOK, b.ask(t, b.test, "GET", "/api/api-keys"+query, nil)).Data)
	}
	require.Equal(t, []int{3, 1, 2}, []int{listed(""), listed("?ended=true"), listed("?ended=false")},
		"with the one that asks")

	for body, want := range map[string][2]string{
		`{"allowedCidrs":["10.0.0.1"]}`: {"network_malformed", "allowedCidrs"},
		`{"expiresAt":1}`:               {"key_expiry_past", "expiresAt"},
		`{"name":" "}`:                  {"text_blank", "name"},
	} {
		problem(t, http.StatusUnprocessableEntity, want[0], want[1], b.ask(t, b.test, "POST", "/api/api-keys", body))
	}
}

func TestAPIKeys_Rotate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	reads := func(key string) int {
		return b.send(t, "GET", "/api/plans", nil, "Authorization", "Bearer "+key).Status
	}
	first := as[Key](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/api-keys", `{"name":"shop"}`))
	second := as[Key](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/api-keys/"+first.ID+"/rotate", nil))
	require.Equal(t, [2]string{first.ID, "shop"}, [2]string{second.Replaces, second.Name})
	require.Equal(t, [2]int{http.StatusUnauthorized, http.StatusOK}, [2]int{reads(first.Key), reads(second.Key)})

	third := as[Key](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/api-keys/"+second.ID+"/rotate",
		`{"overlapSeconds":3600}`))
	require.Equal(t, [2]int{http.StatusOK, http.StatusOK}, [2]int{reads(second.Key), reads(third.Key)})
	until := as[Key](t, http.StatusOK, b.ask(t, b.test, "GET", "/api/api-keys/"+second.ID, nil)).ExpiresAt
	require.Equal(t, b.clock().Add(time.Hour).Unix(), until)
}

// A key that is limited makes no key that is not.
func TestAPIKeys_AllowNoMoreThanTheirMaker(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	limited := b.newKey(t, b.test, db.NewAPIKey{
		AllowedCIDRs: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
		ExpiresAt:    b.clock().Add(24 * time.Hour),
	})
	soon := b.clock().Add(time.Hour).Unix()
	for _, c := range []struct {
		body   map[string]any
		param  string
		status int
	}{
		{map[string]any{}, "expiresAt", http.StatusUnprocessableEntity},
		{map[string]any{"expiresAt": soon}, "allowedCidrs", http.StatusUnprocessableEntity},
		{map[string]any{"expiresAt": soon, "allowedCidrs": []string{"0.0.0.0/0"}}, "allowedCidrs",
			http.StatusUnprocessableEntity},
		{map[string]any{"expiresAt": soon, "allowedCidrs": []string{"192.0.2.1/32"}}, "", http.StatusCreated},
	} {
		got := b.send(t, "POST", "/api/api-keys", c.body, "Authorization", "Bearer "+limited)
		require.Equal(t, c.status, got.Status, "%s", got.Body)
		if c.param != "" {
			problem(t, c.status, "key_allows_more", c.param, got)
		}
	}
}

func TestAPIKeys_LastUse(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Key](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/api-keys", `{}`))
	shown := func() int64 {
		return as[Key](t, http.StatusOK, b.ask(t, b.test, "GET", "/api/api-keys/"+made.ID, nil)).LastUsedAt
	}
	require.NoError(t, b.NoteKeyUse(t.Context()))
	require.Zero(t, shown())
	b.send(t, "GET", "/api/plans", nil, "Authorization", "Bearer "+made.Key)
	require.NoError(t, b.NoteKeyUse(t.Context()))
	require.Equal(t, b.clock().Unix(), shown())
	require.NoError(t, b.NoteKeyUse(t.Context()), "nothing is left to write")
}

// A key that is limited to the network of the proxy is not opened by a client whose address the proxy does not say.
func TestAPIKeys_AddressBehindProxy(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.config.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // the bench's own address
	b.Server = b.newServer(t)
	made := as[Key](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/api-keys",
		`{"allowedCidrs":["192.0.2.0/24","::ffff:127.0.0.1/128"]}`))
	require.Equal(t, []string{"192.0.2.0/24", "127.0.0.1/32"}, made.AllowedCIDRs)
	for forwarded, want := range map[string]int{
		"127.0.0.1": http.StatusOK, "192.0.2.9": http.StatusOK, "": http.StatusForbidden, "unknown": http.StatusForbidden,
		"198.51.100.1": http.StatusForbidden, "127.0.0.1, _hidden": http.StatusForbidden,
	} {
		got := b.send(t, "GET", "/api/plans", nil, "Authorization", "Bearer "+made.Key, "X-Forwarded-For", forwarded)
		require.Equal(t, want, got.Status, "%q", forwarded)
	}
	require.Equal(t, http.StatusOK, b.send(t, "GET", "/api/plans", nil, "Authorization", "Bearer "+made.Key).Status,
		"the proxy's own request")
	problem(t, http.StatusUnprocessableEntity, "network_malformed", "allowedCidrs",
		b.ask(t, b.test, "POST", "/api/api-keys", `{"allowedCidrs":["::ffff:10.0.0.1/64"]}`))
}
