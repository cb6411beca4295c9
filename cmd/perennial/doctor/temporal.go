package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/contract"
	"perennial/internal/telemetry"
	"perennial/worker"
)

// startWorker is the fix for everything that a worker's bootstrap creates; it looks every 15 s.
const startWorker = "run `perennial worker` (or serve): it creates what is missing within 15 s"

// temporal checks what the workers need of Temporal. roster is nil where the database is not available: only the
// database knows the running workers.
func (d *doctor) temporal(ctx context.Context, roster worker.Roster) {
	t, err := telemetry.Start(ctx, telemetry.Options{
		Service: "perennial-doctor", LogLevel: "error", LogOutput: io.Discard, Now: d.now,
	})
	if err != nil {
		d.fail("Temporal", "this is a fault of the program", "%v", err)
		return
	}
	t.Logger = zap.NewNop()             // the SDK's log would only repeat the findings of the checks
	defer func() { _ = t.Close(ctx) }() // nothing is buffered
	c, err := wire.Temporal(d.config.Temporal, t)
	if err != nil {
		d.fail("Temporal", "check the variables that begin with TEMPORAL_", "%v", err)
		return
	}
	defer c.Close()
	if !d.reachable(ctx, c) || !d.namespace(ctx, c) {
		return
	}
	d.searchAttributes(ctx, c)
	d.version(ctx, c, roster)
	d.pollers(ctx, c)
	d.reconciler(ctx, c)
}

func (d *doctor) reachable(ctx context.Context, c client.Client) bool {
	ctx, cancel := d.within(ctx)
	defer cancel()
	if _, err := c.CheckHealth(ctx, &client.CheckHealthRequest{}); err != nil {
		d.fail("Temporal", "check TEMPORAL_ADDRESS, that the server runs, and the API key or certificate if it wants one",
			"%s does not answer: %v", d.config.Temporal.Address, err)
		return false
	}
	d.ok("Temporal", "%s answers", d.config.Temporal.Address)
	return true
}

// namespace returns false where nothing else can be asked: all the rest is inside it.
func (d *doctor) namespace(ctx context.Context, c client.Client) bool {
	ctx, cancel := d.within(ctx)
	defer cancel()
	name := d.config.Temporal.Namespace
	_, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: name})
	var none *serviceerror.NamespaceNotFound
	switch {
	case errors.As(err, &none):
		d.fail("namespace", startWorker, "%s does not exist", name)
	case err != nil:
		d.fail("namespace", "see whether the credentials may read it", "%s: %v", name, err)
	default:
		d.ok("namespace", "%s", name)
	}
	return err == nil
}

// searchAttributes fails where one is missing: Temporal refuses a start that names an attribute it does not know.
func (d *doctor) searchAttributes(ctx context.Context, c client.Client) {
	ctx, cancel := d.within(ctx)
	defer cancel()
	missing, err := worker.MissingSearchAttributes(ctx, c, d.config.Temporal.Namespace)
	switch {
	case err != nil:
		d.fail("search attributes", "see whether the credentials may list them", "%v", err)
	case len(missing) > 0:
		slices.Sort(missing)
		d.fail("search attributes", startWorker, "missing: %s", strings.Join(missing, ", "))
	default:
		d.ok("search attributes", "all there")
	}
}

// version checks that a worker takes new work. It is normal in a rolling update that another build takes it; that no
// build takes it is a fault, whichever one is current.
func (d *doctor) version(ctx context.Context, c client.Client, roster worker.Roster) {
	const check = "worker version"
	ctx, cancel := d.within(ctx)
	defer cancel()
	build, err := worker.CurrentBuild(ctx, c, d.config.Deployment)
	if err != nil {
		d.fail(check, "check that the credentials may read deployments", "%v", err)
		return
	}
	if build == "" {
		d.fail(check,
			"run `perennial worker`, which makes itself current where no build was chosen; otherwise run "+
				"`perennial build make-current`, or `temporal worker deployment set-current-version`",
			"the deployment %s has no current version: no worker gets work", d.config.Deployment)
		return
	}
	if roster == nil { // the database is away, which has its own line
		return
	}
	current, err := worker.Dispatching(ctx, c, d.config.Temporal.Namespace, roster, d.now())
	switch {
	case err != nil:
		d.fail(check, "check the database and Temporal's log", "who gets new work cannot be told: %s", cli.Describe(err))
	case current.Stopped():
		d.fail(check, "run `perennial build make-current BUILD` with the wanted build, or start workers of the current build",
			"%s", current.Fault(d.config.Deployment))
	case build != d.config.BuildID:
		d.warn(check, "ignore this during a deployment, or where doctor belongs to another build",
			"build %s is current (%d at work), this program is %s", build, current.Working, d.config.BuildID)
	default:
		d.ok(check, "build %s is current", build)
	}
}

func (d *doctor) pollers(ctx context.Context, c client.Client) {
	for _, q := range worker.Queues {
		d.queue(ctx, c, q.Name, q.Kind, q.Is)
	}
}

func (d *doctor) queue(ctx context.Context, c client.Client, name, kind string, is enumspb.TaskQueueType) {
	ctx, cancel := d.within(ctx)
	defer cancel()
	check := "queue " + name
	// Each queue is checked: a worker may poll some and not others, and then only one kind of work stops.
	answer, err := c.WorkflowService().DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace: d.config.Temporal.Namespace, TaskQueue: &taskqueuepb.TaskQueue{Name: name}, TaskQueueType: is,
	})
	if err != nil {
		d.fail(check, "check Temporal's log", "%s: %v", kind, err)
		return
	}
	polling := 0
	for _, p := range answer.GetPollers() {
		// Temporal lists pollers for minutes after they have gone.
		if d.now().Sub(p.GetLastAccessTime().AsTime()) < worker.PollerLife {
			polling++
		}
	}
	if polling == 0 {
		d.fail(check, "run `perennial worker` (or serve)", "no worker polls for %s: nothing is billed", kind)
		return
	}
	d.ok(check, "%s: %d polling", kind, polling)
}

func (d *doctor) reconciler(ctx context.Context, c client.Client) {
	ctx, cancel := d.within(ctx)
	defer cancel()
	schedule, err := c.ScheduleClient().GetHandle(ctx, contract.ReconcilerScheduleID).Describe(ctx)
	var none *serviceerror.NotFound
	switch {
	case errors.As(err, &none):
		d.fail("reconciler", startWorker, "its schedule does not exist")
	case err != nil:
		d.fail("reconciler", "see whether the credentials may read schedules", "%v", err)
	case schedule.Schedule.State != nil && schedule.Schedule.State.Paused:
		d.fail("reconciler", d.unpause(),
			"its schedule is paused (%q): what was left undone is not found", schedule.Schedule.State.Note)
	default:
		d.ok("reconciler", "its schedule exists and is not paused")
	}
}

// unpause is the command that ends the pause of the reconciler, for where this program looks.
func (d *doctor) unpause() string {
	return fmt.Sprintf("`temporal schedule toggle --unpause --schedule-id %s --namespace %s --address %s`",
		contract.ReconcilerScheduleID, d.config.Temporal.Namespace, d.config.Temporal.Address)
}
