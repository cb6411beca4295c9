package devstack

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"
)

func namespaces(t *testing.T, address string) client.NamespaceClient {
	t.Helper()
	c, err := client.NewNamespaceClient(client.Options{HostPort: address, Logger: quiet{}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestTemporal_KeepsDataUntilDeleted(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "100% Größe? #1", "temporal") // each sign would end or change a URL
	s, err := StartTemporal(t.Context(), TemporalConfig{Dir: dir})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	require.Contains(t, s.UIURL(), "http://127.0.0.1:")
	require.FileExists(t, filepath.Join(dir, databaseFile))
	ns := namespaces(t, s.Address())
	require.NoError(t, ns.Register(t.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: "kept", WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	}))
	require.ErrorContains(t, s.DeleteData(), "stop or kill it")

	require.NoError(t, s.Kill())
	require.NoError(t, s.Restart(t.Context()))
	_, err = ns.Describe(t.Context(), "kept")
	require.NoError(t, err)

	require.NoError(t, s.Kill())
	require.NoError(t, s.DeleteData())
	require.NoError(t, s.Restart(t.Context()))
	_, err = ns.Describe(t.Context(), "kept")
	require.ErrorContains(t, err, "not found")
}
