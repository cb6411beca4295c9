package worker

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"perennial/billing/fault"
)

// An activity that waits is no failure: it says once what for.
func TestFaultInterceptor_Logs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want map[string]any
	}{
		"a wait": {
			temporal.NewApplicationErrorWithOptions("The account rests.", "payment_unsent",
				temporal.ApplicationErrorOptions{Category: temporal.ApplicationErrorCategoryBenign}),
			map[string]any{"level": "info", "message": "activity waits", "code": "payment_unsent",
				"waitsFor": "The account rests."},
		},
		"a fault": {
			fault.New(fault.Unavailable, "database_away", "The database is away."),
			map[string]any{"level": "warn", "message": "activity failed", "code": "database_away"},
		},
		"an error": {
			errors.New("broken"), map[string]any{"level": "warn", "message": "activity failed", "code": "internal"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			core, logs := observer.New(zap.DebugLevel)
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestActivityEnvironment()
			env.SetWorkerOptions(sdkworker.Options{
				Interceptors: []interceptor.WorkerInterceptor{&faultInterceptor{logger: zap.New(core)}},
			})
			failing := func(context.Context) error { return c.err }
			env.RegisterActivity(failing)
			_, err := env.ExecuteActivity(failing)
			require.Error(t, err)
			require.Equal(t, 1, logs.Len())
			line := logs.All()[0]
			got := line.ContextMap()
			got["level"], got["message"] = line.Level.String(), line.Message
			for key, want := range c.want {
				require.Equal(t, want, got[key], key)
			}
		})
	}
}
