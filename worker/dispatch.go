package worker

import (
	"context"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"perennial/contract"
)

// Dispatch names the build that Temporal sends new work to: the current one.
type Dispatch struct {
	Deployment, BuildID string // empty: no build is current
	Working             int    // processes or pollers of that build; 0: work waits until one comes
}

// Stopped reports whether no worker takes the work that becomes due.
func (d Dispatch) Stopped() bool { return d.Working == 0 }

// Roster knows the running workers. Temporal notices that a poller has gone only when its long poll would have ended.
type Roster interface {
	// WorkersOf counts the working processes of a build; known: whether any was ever seen.
	WorkersOf(ctx context.Context, deployment, buildID string) (working int, known bool, err error)
}

// PollerLife is the age up to which a poller's last request counts: a long poll takes a minute.
const PollerLife = 90 * time.Second

// Dispatching finds out which build gets new work. A build whose workers write no beats (an older program, or a
// database that is read-only) is counted by its pollers.
func Dispatching(
	ctx context.Context, c client.Client, namespace string, roster Roster, now time.Time,
) (Dispatch, error) {
	answer, err := describeQueue(ctx, c, namespace, Queues[0])
	if err != nil {
		return Dispatch{}, err
	}
	current := answer.GetVersioningInfo().GetCurrentDeploymentVersion()
	if current == nil {
		return Dispatch{}, nil
	}
	d := Dispatch{Deployment: current.GetDeploymentName(), BuildID: current.GetBuildId()}
	working, known, err := roster.WorkersOf(ctx, d.Deployment, d.BuildID)
	if !known {
		working = pollersOf(answer.GetPollers(), d, now)
	}
	d.Working = working
	return d, err
}

// pollersOf counts the pollers of the current build that asked lately.
func pollersOf(pollers []*taskqueuepb.PollerInfo, d Dispatch, now time.Time) (n int) {
	for _, p := range pollers {
		o := p.GetDeploymentOptions()
		ours := o.GetDeploymentName() == d.Deployment && o.GetBuildId() == d.BuildID
		if ours && now.Sub(p.GetLastAccessTime().AsTime()) < PollerLife {
			n++
		}
	}
	return n
}

// Queue is one thing that workers poll for.
type Queue struct {
	Name, Kind string
	Is         enumspb.TaskQueueType
}

// Queues are all of them.
var Queues = []Queue{
	{contract.QueueBilling, "workflows", enumspb.TASK_QUEUE_TYPE_WORKFLOW},
	{contract.QueueBilling, "activities", enumspb.TASK_QUEUE_TYPE_ACTIVITY},
	{contract.QueuePayments, "activities", enumspb.TASK_QUEUE_TYPE_ACTIVITY},
}

func describeQueue(
	ctx context.Context, c client.Client, namespace string, q Queue,
) (*workflowservice.DescribeTaskQueueResponse, error) {
	return c.WorkflowService().DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace: namespace, TaskQueue: &taskqueuepb.TaskQueue{Name: q.Name}, TaskQueueType: q.Is,
	})
}
