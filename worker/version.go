package worker

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"
)

// routeWithin bounds one look at who gets work.
const routeWithin = 10 * time.Second

// route ensures that Temporal gives work to some build. After an error, the caller looks again soon.
func (w *Worker) route(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, routeWithin)
	defer cancel()
	switch {
	case w.config.BuildID == "": // unversioned workers get work without being asked for
		return nil
	case w.config.MakeCurrent && !w.made:
		err := w.setCurrent(ctx, nil)
		w.made = err == nil
		return err
	default:
		return w.claim(ctx)
	}
}

// claim makes this build current where there is no decision yet. A fresh Temporal, and one that has lost its database,
// knows no version and gives work to no worker. Every existing decision stays: another version, none, a ramp, a manager
// of the deployment, another deployment for our queues.
func (w *Worker) claim(ctx context.Context) error {
	d, err := w.deployment().Describe(ctx, client.WorkerDeploymentDescribeOptions{})
	if err != nil {
		return err // not found: the server has not seen our pollers yet
	}
	if current := d.Info.RoutingConfig.CurrentVersion; current != nil {
		w.current = current.BuildID
		return nil
	}
	if decided(d.Info) {
		return nil
	}
	if w.current != "" && w.current != w.config.BuildID {
		// Temporal has lost a decision that we have seen: the workers of that build repeat it.
		w.config.Logger.Warn("Temporal has no current build; "+
			"its workers, or an operator with `perennial build make-current`, must set it",
			zap.String("was_current", w.current))
		return nil
	}
	if elsewhere, err := w.queuesElsewhere(ctx); err != nil || elsewhere {
		return err
	}
	return w.setCurrent(ctx, d.ConflictToken)
}

// setCurrent routes new work to this build. It fails until the server has seen its pollers and, with a token, if the
// deployment's versions have changed since the token was given.
func (w *Worker) setCurrent(ctx context.Context, token []byte) error {
	_, err := w.deployment().SetCurrentVersion(ctx, client.WorkerDeploymentSetCurrentVersionOptions{
		BuildID: w.config.BuildID, ConflictToken: token, IgnoreMissingTaskQueues: true,
	})
	if err != nil {
		return err
	}
	w.current = w.config.BuildID
	w.config.Logger.Info("Temporal gives new work to this build")
	return nil
}

// decided reports whether a person or program has decided which build of a deployment gets work, or who may decide it.
// Having no current version can be such a decision: then it has an author.
func decided(d client.WorkerDeploymentInfo) bool {
	return d.RoutingConfig.CurrentVersion != nil || d.RoutingConfig.RampingVersion != nil ||
		d.ManagerIdentity != "" || d.LastModifierIdentity != ""
}

// queuesElsewhere reports whether one of our queues serves a version of another deployment: ours was renamed, or two
// installations share a namespace.
func (w *Worker) queuesElsewhere(ctx context.Context) (bool, error) {
	for _, q := range Queues {
		answer, err := describeQueue(ctx, w.config.Client, w.config.Namespace, q)
		if err != nil {
			return false, err
		}
		if v := answer.GetVersioningInfo(); v.GetCurrentDeploymentVersion() != nil || v.GetRampingDeploymentVersion() != nil {
			return true, nil
		}
	}
	return false, nil
}

func (w *Worker) deployment() client.WorkerDeploymentHandle {
	return w.config.Client.WorkerDeploymentClient().GetHandle(w.config.Deployment)
}

// CurrentBuild names the build that Temporal gives new work to; empty: none. For the doctor.
func CurrentBuild(ctx context.Context, c client.Client, deployment string) (string, error) {
	d, err := c.WorkerDeploymentClient().GetHandle(deployment).Describe(ctx, client.WorkerDeploymentDescribeOptions{})
	var absent *serviceerror.NotFound
	if errors.As(err, &absent) {
		return "", nil // no version of it has ever polled
	}
	if err != nil || d.Info.RoutingConfig.CurrentVersion == nil {
		return "", err
	}
	return d.Info.RoutingConfig.CurrentVersion.BuildID, nil
}
