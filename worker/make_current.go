package worker

import (
	"context"

	"go.temporal.io/sdk/client"
)

// MakeCurrent has Temporal give new work to a build of a deployment from now on, and ends. It is refused for a build
// whose workers the server has not seen: its work would wait for nobody.
func MakeCurrent(ctx context.Context, c client.Client, deployment, build string) error {
	_, err := c.WorkerDeploymentClient().GetHandle(deployment).SetCurrentVersion(ctx,
		client.WorkerDeploymentSetCurrentVersionOptions{
			BuildID: build, IgnoreMissingTaskQueues: true,
		})
	return err
}
