package delivery_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/delivery"
)

func TestEndpoint_DisableAndEnable(t *testing.T) {
	t.Parallel()
	e := delivery.Endpoint{Status: delivery.EndpointEnabled}
	require.False(t, e.Enable(), "it is enabled")
	since := at.Add(-72 * time.Hour)
	require.False(t, e.GiveUp(delivery.DisabledFailing, since, at), "an attempt has succeeded")
	require.Equal(t, delivery.Endpoint{Status: delivery.EndpointEnabled}, e)
	e.FailingSince = since
	require.True(t, e.GiveUp(delivery.DisabledFailing, at, at))
	want := delivery.Endpoint{
		Status: delivery.EndpointDisabled, DisabledReason: delivery.DisabledFailing, DisabledAt: at,
		FailingSince: e.FailingSince,
	}
	require.Equal(t, want, e)
	require.False(t, e.Disable(delivery.DisabledByRequest, at.Add(time.Hour)), "the first reason stays")
	require.Equal(t, want, e)
	require.True(t, e.Enable())
	require.Equal(t, delivery.Endpoint{Status: delivery.EndpointEnabled}, e, "its failures count anew")
}

// A receiver's 410 counts also where an attempt has succeeded meanwhile.
func TestEndpoint_GiveUpGone(t *testing.T) {
	t.Parallel()
	e := delivery.Endpoint{Status: delivery.EndpointEnabled}
	require.True(t, e.GiveUp(delivery.DisabledGone, at, at))
	want := delivery.Endpoint{
		Status: delivery.EndpointDisabled, DisabledReason: delivery.DisabledGone, DisabledAt: at, FailingSince: at,
	}
	require.Equal(t, want, e)
	require.False(t, e.GiveUp(delivery.DisabledGone, at, at.Add(time.Hour)), "the first reason stays")
	require.Equal(t, want, e)
}

func TestEndpoint_Delete(t *testing.T) {
	t.Parallel()
	e := delivery.Endpoint{Status: delivery.EndpointEnabled}
	require.True(t, e.Disable(delivery.DisabledByRequest, at))
	require.True(t, e.Delete(at.Add(time.Hour)), "also a disabled one")
	require.Equal(t, delivery.Endpoint{
		Status: delivery.EndpointDisabled, DisabledReason: delivery.DisabledDeleted, DisabledAt: at.Add(time.Hour),
		DeletedAt: at.Add(time.Hour),
	}, e)
}

func TestEndpoint_Rotate(t *testing.T) {
	t.Parallel()
	first, second, third := []byte("first"), []byte("second"), []byte("third")
	e := delivery.Endpoint{SecretSealed: first}
	require.Equal(t, [][]byte{first}, e.SigningSecrets(at))
	e.Rotate(second, false, at)
	until := at.Add(24 * time.Hour)
	require.Equal(t, [][]byte{second, first}, e.SigningSecrets(until.Add(-time.Second)))
	require.Equal(t, [][]byte{second}, e.SigningSecrets(until))
	e.Rotate(third, false, at)
	require.Equal(t, [][]byte{third, second}, e.SigningSecrets(at), "the oldest ends")
	e.Rotate(first, true, at)
	require.Equal(t, delivery.Endpoint{SecretSealed: first}, e, "a revoked one ends at once")
}
