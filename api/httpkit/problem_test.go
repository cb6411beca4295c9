package httpkit

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
)

func TestProblem_StatusOfEachKind(t *testing.T) {
	t.Parallel()
	for kind, status := range map[fault.Kind]int{
		fault.Invalid: 422, fault.Unauthorized: 401, fault.Forbidden: 403, fault.NotFound: 404,
		fault.Conflict: 409, fault.Gone: 410,
		fault.RateLimited: 429, fault.Unavailable: 503, fault.Internal: 500, "invented": 500,
	} {
		p := problemOf(fault.New(kind, "code", "detail"), "req_1")
		require.Equal(t, status, p.Status, kind)
		require.NotEmpty(t, p.Title)
		require.Equal(t, "req_1", p.RequestID)
	}
	require.Equal(t, `Bearer realm="perennial"`, problemOf(errKeyMissing, "").GetHeaders().Get("WWW-Authenticate"))
	require.Equal(t, "1", problemOf(fault.New(fault.Unavailable, "x", "y"), "").GetHeaders().Get("Retry-After"))
	require.Equal(t, "3", problemOf(fault.New(fault.Conflict, "x", "y").After(2100*time.Millisecond),
		"").GetHeaders().Get("Retry-After"))
}

func TestProblem_HidesCauses(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		errors.New("select secret from nowhere"),
		fault.New(fault.Internal, "internal", "select secret from nowhere"),
		fault.New(fault.Unavailable, "away", "detail").Because(errors.New("select secret from nowhere")),
	} {
		p := problemOf(err, "req_1")
		require.NotContains(t, string(encode(p)), "secret")
		require.NotContains(t, p.Error(), "secret")
	}
}
