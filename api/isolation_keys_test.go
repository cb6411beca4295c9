package api

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/apikey"
)

type badKeys struct {
	unauthorized map[string][]string // headers
	forbidden    map[string]string
	foreign      map[string]string
}

func (b *bench) badKeys(t *testing.T) badKeys {
	t.Helper()
	bearer := func(key string) []string { return []string{"Authorization", "Bearer " + key} }
	swapped := strings.Replace(b.test.key, "sk_test_", "sk_live_", 1)
	return badKeys{
		unauthorized: map[string][]string{
			"no key":          {},
			"an empty key":    bearer(""),
			"a malformed key": bearer("sk_test_short"),
			"another scheme":  {"Authorization", "Basic " + b.test.key},
			"no scheme":       {"Authorization", b.test.key},
			"an unknown key":  bearer(apikey.New(apikey.Secret, apikey.Test).Plain),
			"an unknown pk":   bearer(apikey.New(apikey.Publishable, apikey.Test).Plain),
			"another mode":    bearer(swapped),
			"a revoked key":   bearer(b.revokedKey(t, b.test)),
			"an expired key":  bearer(b.newKey(t, b.test, db.NewAPIKey{ExpiresAt: b.clock()})),
		},
		forbidden: map[string]string{
			"publishable":   b.newKey(t, b.test, db.NewAPIKey{Kind: string(apikey.Publishable)}),
			"read only":     b.newKey(t, b.test, db.NewAPIKey{Scopes: []string{"read"}}),
			"webhooks only": b.newKey(t, b.test, db.NewAPIKey{Scopes: []string{"webhooks"}}),
			"other address": b.newKey(t, b.test,
				db.NewAPIKey{AllowedCIDRs: []netip.Prefix{netip.MustParsePrefix("198.51.100.0/24")}}),
		},
		foreign: map[string]string{"the live environment": b.live.key, "another tenant": b.other.key},
	}
}

func TestKeys_AllowedOperations(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := b.fill(t, b.test)
	eachRoute(t, b, func(method, template string) {
		short := resourcePath(template)
		path, want := rows.in(template), 200
		if guarded[method+" "+short].unready {
			want = 422
		}
		if method == "GET" {
			key := b.newKey(t, b.test, db.NewAPIKey{
				Scopes: []string{"read"}, AllowedCIDRs: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
			})
			require.Equal(t, want, b.send(t, method, path, nil, "Authorization", "Bearer "+key).Status, path)
		}
		if scope := guarded[method+" "+short].scope; scope != "" && method == "GET" {
			key := b.newKey(t, b.test, db.NewAPIKey{Scopes: []string{scope}})
			require.Equal(t, 200, b.send(t, method, path, nil, "Authorization", "Bearer "+key).Status, path)
		}
		if guarded[method+" "+short].publishable {
			key := b.newKey(t, b.test, db.NewAPIKey{Kind: string(apikey.Publishable), Scopes: []string{"access"}})
			require.Equal(t, 200, b.send(t, method, path, nil, "Authorization", "Bearer "+key).Status, path)
		}
	})
	status := b.send(t, "GET", "/api/payments/"+rows.payment, nil, "Authorization",
		"Bearer "+b.newKey(t, b.test, db.NewAPIKey{Kind: string(apikey.Publishable)}))
	require.JSONEq(t, `{"id":"`+rows.payment+`","status":"pending"}`, string(status.Body))
}
