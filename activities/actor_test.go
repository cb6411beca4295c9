package activities

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"perennial/db"
)

func TestWorkflowOf_IsTheWorkflowInsideAnActivity(t *testing.T) {
	t.Parallel()
	require.Equal(t, db.BySystem("activities"), workflowOf(t.Context()))

	env := new(testsuite.WorkflowTestSuite).NewTestActivityEnvironment()
	actor := func(ctx context.Context) (string, error) { return workflowOf(ctx).String(), nil }
	env.RegisterActivity(actor)
	result, err := env.ExecuteActivity(actor)
	require.NoError(t, err)
	var got string
	require.NoError(t, result.Get(&got))
	require.Regexp(t, "^workflow .+", got)
}
