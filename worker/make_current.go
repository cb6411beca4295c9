package worker

import (
	"context"

	"go.temporal.io/sdk/client"
)

// MakeCurrent makes Temporal give new work to a build of a deployment. Temporal refuses a build whose workers it has
// not seen: its work would wait for ever.
func MakeCurrent(ctx context.Context, c client.Client, deployment, build string) error {
	_, err := c.WorkerDeploymentClient().GetHandle(deployment).SetCurrentVersion(ctx,
		client.WorkerDeploymentSetCurrentVersionOptions{
			BuildID: build, IgnoreMissingTaskQueues: true,
		})
	return err
}
