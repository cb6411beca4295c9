package fault_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
)

func TestFrom_FindsWrappedFault(t *testing.T) {
	t.Parallel()
	inner := fault.InvalidParam("amount", "amount_negative", "amount must be positive, got %d", -3)

	got := fault.From(fmt.Errorf("creating a payment: %w", inner))

	require.Equal(t, fault.Invalid, got.Kind)
	require.Equal(t, "amount_negative", got.Code)
	require.Equal(t, "amount", got.Param)
	require.Equal(t, "amount must be positive, got -3", got.Detail)
}

func TestFrom_HidesUnknownError(t *testing.T) {
	t.Parallel()
	cause := errors.New("pq: password authentication failed for user root")

	got := fault.From(cause)

	require.Equal(t, fault.Internal, got.Kind)
	require.NotContains(t, got.Detail, "password")
	require.ErrorIs(t, got, cause)
	require.True(t, got.Retryable())
	require.Nil(t, fault.From(nil))
}

func TestFinal_ByKind(t *testing.T) {
	t.Parallel()
	for kind, want := range map[fault.Kind]struct{ refusal, retryable bool }{
		fault.Invalid: {refusal: true}, fault.NotFound: {refusal: true}, fault.Conflict: {refusal: true},
		fault.Gone:         {refusal: true},
		fault.Unauthorized: {}, fault.Forbidden: {},
		fault.RateLimited: {retryable: true}, fault.Unavailable: {retryable: true}, fault.Internal: {retryable: true},
	} {
		f := fault.New(kind, "x", "x")
		require.Equal(t, want.refusal, f.Refusal(), kind)
		require.Equal(t, want.refusal, f.Final(), kind)
		require.Equal(t, want.retryable, f.Retryable(), kind)
		passing := f.After(time.Second)
		require.Equal(t, want.refusal, passing.Refusal(), kind)
		require.False(t, passing.Final(), "%s passes by itself", kind)
	}
}

func TestFault_CopiesLeaveSentinelUnchanged(t *testing.T) {
	t.Parallel()
	sentinel := fault.New(fault.Conflict, "x", "x")

	_ = sentinel.In("p").After(3).Because(errors.New("c"))

	require.Empty(t, sentinel.Param)
	require.Zero(t, sentinel.RetryAfter)
	require.NoError(t, sentinel.Unwrap())
	require.ErrorIs(t, sentinel.In("p"), sentinel)
}
