package execution

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"perennial/db"
)

func TestActor_IsTheWorkflowInsideAnActivity(t *testing.T) {
	t.Parallel()
	require.Equal(t, db.BySystem("activities"), Actor(t.Context()))

	env := new(testsuite.WorkflowTestSuite).NewTestActivityEnvironment()
	actor := func(ctx context.Context) (string, error) { return Actor(ctx).String(), nil }
	env.RegisterActivity(actor)
	result, err := env.ExecuteActivity(actor)
	require.NoError(t, err)
	var got string
	require.NoError(t, result.Get(&got))
	require.Regexp(t, "^workflow .+", got)
}
