package activities

import (
	"context"

	"go.temporal.io/sdk/activity"

	"perennial/db"
)

// workflowOf is the workflow that has this done. Outside of one, where tests and benchmarks call an activity as a
// function, the activities themselves are the actor.
func workflowOf(ctx context.Context) db.Actor {
	if activity.IsActivity(ctx) {
		return db.ByWorkflow(activity.GetInfo(ctx).WorkflowExecution.ID)
	}
	return db.BySystem("activities")
}
