package testkit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"perennial/internal/devstack"
	"perennial/internal/testkit/wait"
)

// Namespace is one test's own Temporal namespace.
type Namespace struct {
	Address string // of the server's frontend
	Name    string
}

// Temporal returns to the test a fresh namespace on the shared server, ready for workers and workflows. It has no
// search attributes yet: the worker's bootstrap makes them. The reconciler's schedule is deleted at the end: it would
// wake every few seconds for the rest of the run, in each namespace.
func Temporal(t testing.TB) *Namespace {
	t.Helper()
	address, err := temporalAddress()
	if err != nil {
		t.Fatalf("Temporal for tests: %v", err)
	}
	n := &Namespace{Address: address, Name: "pt-" + strings.ToLower(rand.Text())}
	c := n.Client(t)
	t.Cleanup(func() { n.unschedule(t, c) })
	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
	defer cancel()
	if _, err := c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: n.Name, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	}); err != nil {
		t.Fatalf("register namespace: %v", err)
	}
	for err := n.usable(ctx, c); err != nil; err = n.usable(ctx, c) {
		select {
		case <-ctx.Done():
			t.Fatalf("namespace %s does not become usable: %v", n.Name, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return n
}

// reconciler is contract.ReconcilerScheduleID, which plumbing does not know.
const reconciler = "reconciler"

func (n *Namespace) unschedule(t testing.TB, c client.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	err := c.ScheduleClient().GetHandle(ctx, reconciler).Delete(ctx)
	var absent *serviceerror.NotFound
	if err != nil && !errors.As(err, &absent) {
		t.Logf("the reconciler's schedule of %s goes on: %v", n.Name, err)
	}
}

// Client connects to the namespace; it is closed at the end of the test.
func (n *Namespace) Client(t testing.TB) client.Client {
	t.Helper()
	c, err := client.NewLazyClient(client.Options{HostPort: n.Address, Namespace: n.Name, Logger: devstack.Silent{}})
	if err != nil {
		t.Fatalf("Temporal client: %v", err)
	}
	t.Cleanup(c.Close)
	return c
}

// usable asks the two services that keep namespaces in caches of their own: history, which answers that it has no such
// workflow, and matching.
func (n *Namespace) usable(ctx context.Context, c client.Client) error {
	_, err := c.WorkflowService().DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: n.Name, Execution: &commonpb.WorkflowExecution{WorkflowId: "absent"},
	})
	var absent *serviceerror.NotFound
	if !errors.As(err, &absent) {
		return fmt.Errorf("history: %w", err)
	}
	_, err = c.WorkflowService().DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace: n.Name, TaskQueue: &taskqueuepb.TaskQueue{Name: "absent"},
		TaskQueueType: enumspb.TASK_QUEUE_TYPE_WORKFLOW,
	})
	return err
}
