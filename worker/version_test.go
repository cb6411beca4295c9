package worker

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"perennial/activities"
	"perennial/internal/testkit"
	"perennial/internal/testkit/wait"
)

// polling starts a worker of one build, which polls but does not decide which build is current.
func polling(t *testing.T, n *testkit.Namespace, deployment, build string) *Worker {
	t.Helper()
	w, err := New(Config{
		Client: n.Client(t), Namespace: n.Name, Activities: activities.New(activities.Config{}),
		Deployment: deployment, BuildID: build, DrainTimeout: time.Millisecond, Now: time.Now,
	})
	require.NoError(t, err)
	queues, err := w.start(make(chan error, 1))
	require.NoError(t, err)
	t.Cleanup(func() {
		for _, q := range queues {
			q.Stop()
		}
	})
	return w
}

// routed looks until there is nothing more to do, and answers which build gets work then.
func (w *Worker) routed(t *testing.T) (current string) {
	t.Helper()
	require.Eventually(t, func() bool { return w.route(t.Context()) == nil }, wait.Patience, 50*time.Millisecond)
	current, err := CurrentBuild(t.Context(), w.config.Client, w.config.Deployment)
	require.NoError(t, err)
	return current
}

// seen waits until the server knows the worker's version, and returns its description of the deployment.
func (w *Worker) seen(t *testing.T) (d client.WorkerDeploymentDescribeResponse) {
	t.Helper()
	require.Eventually(t, func() bool {
		var err error
		d, err = w.deployment().Describe(t.Context(), client.WorkerDeploymentDescribeOptions{})
		for _, v := range d.Info.VersionSummaries {
			if v.Version.BuildID == w.config.BuildID {
				return err == nil
			}
		}
		return false
	}, 30*time.Second, 50*time.Millisecond)
	return d
}

func TestVersion_FirstBuildIsCurrent(t *testing.T) {
	t.Parallel()
	n := testkit.Temporal(t)
	first := polling(t, n, "perennial", "first")
	require.Equal(t, "first", first.routed(t))

	second := polling(t, n, "perennial", "second")
	second.seen(t)
	require.Equal(t, "first", second.routed(t), "which build comes next is for a person to say")
	second.config.MakeCurrent = true
	require.Equal(t, "second", second.routed(t), "who says so gets it")
	first.config.MakeCurrent = true
	require.Equal(t, "first", first.routed(t))
	require.Equal(t, "first", second.routed(t), "but asks once, or two builds would take turns")
}

func TestVersion_KeepsDecision(t *testing.T) {
	t.Parallel()
	for name, decide := range map[string]func(*testing.T, client.WorkerDeploymentHandle){
		"no version is current": func(t *testing.T, d client.WorkerDeploymentHandle) {
			_, err := d.SetCurrentVersion(t.Context(), client.WorkerDeploymentSetCurrentVersionOptions{})
			require.NoError(t, err)
		},
		"a ramp": func(t *testing.T, d client.WorkerDeploymentHandle) {
			_, err := d.SetRampingVersion(t.Context(),
				client.WorkerDeploymentSetRampingVersionOptions{BuildID: "ours", Percentage: 10})
			require.NoError(t, err)
		},
		"a manager": func(t *testing.T, d client.WorkerDeploymentHandle) {
			_, err := d.SetManagerIdentity(t.Context(),
				client.WorkerDeploymentSetManagerIdentityOptions{ManagerIdentity: "controller"})
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := polling(t, testkit.Temporal(t), "perennial", "ours")
			before := w.seen(t)
			require.False(t, decided(before.Info), "a fresh deployment is nobody's")
			decide(t, w.deployment())
			require.Empty(t, w.routed(t))

			// A decision between our look and our claim is in time too: the server compares the token.
			var refused *serviceerror.FailedPrecondition
			require.ErrorAs(t, w.setCurrent(t.Context(), before.ConflictToken), &refused)
			require.Empty(t, w.routed(t))
		})
	}
}

func TestVersion_LeavesOtherDeploymentsAlone(t *testing.T) {
	t.Parallel()
	n := testkit.Temporal(t)
	require.Equal(t, "one", polling(t, n, "perennial", "one").routed(t))
	renamed := polling(t, n, "renamed", "two")
	renamed.seen(t)
	require.Eventually(t, func() bool { // queues learn of it a moment later
		elsewhere, err := renamed.queuesElsewhere(t.Context())
		return err == nil && elsewhere
	}, 30*time.Second, 50*time.Millisecond)
	require.Empty(t, renamed.routed(t))
}

// Temporal has lost its database while two builds ran. The build that was rolled out gets the work again, not the
// fastest.
func TestVersion_RestoredAfterLoss(t *testing.T) {
	t.Parallel()
	n := testkit.Temporal(t)
	next, rolledOut := polling(t, n, "perennial", "next"), polling(t, n, "perennial", "rolled-out")
	next.current, rolledOut.current = "rolled-out", "rolled-out" // what both saw before
	next.seen(t)
	require.Empty(t, next.routed(t))
	rolledOut.seen(t)
	require.Equal(t, "rolled-out", rolledOut.routed(t))
	require.Equal(t, "rolled-out", next.routed(t))
}

// A worker that is stopped while it still waits for Temporal ends without an error.
func TestRun_StoppedBeforeTemporalCame(t *testing.T) {
	t.Parallel()
	c, err := client.NewLazyClient(client.Options{HostPort: "127.0.0.1:1"})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	w, err := New(Config{Client: c, Namespace: "none", Activities: activities.New(activities.Config{})})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, w.Run(ctx, func() { t.Error("it cannot be ready") }))
}
