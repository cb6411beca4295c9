package worker

import (
	"context"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.uber.org/zap"
	"google.golang.org/protobuf/types/known/durationpb"

	"perennial/contract"
)

// retention is the time for which Temporal keeps closed runs for operators.
const retention = 30 * 24 * time.Hour

// bootstrapUntilDone makes Temporal usable, however long it takes Temporal to be available; false: ctx ended before.
func (w *Worker) bootstrapUntilDone(ctx context.Context) bool {
	for wait := 200 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := w.Bootstrap(ctx)
		if err == nil || ctx.Err() != nil {
			return ctx.Err() == nil
		}
		w.config.Logger.Warn("Temporal is not usable yet", zap.Error(err))
		pause(ctx, wait)
	}
}

// The pauses between looks while no build gets work: a server that has just started sees pollers after some seconds.
const (
	firstLook = 250 * time.Millisecond
	laterLook = time.Second
)

// keepUp ensures that some build gets work, and repeats the bootstrap, since Temporal may lose its database under a
// running worker.
func (w *Worker) keepUp(ctx context.Context) {
	soon := firstLook
	var failure lasting
	for {
		every := w.config.BootstrapEvery
		if err := w.route(ctx); err == nil {
			soon, failure = firstLook, lasting{}
		} else {
			// Failing at first is normal: Temporal must see the pollers before. A lasting failure is logged for
			// operators.
			if since, say := failure.seen(w.now()); say && ctx.Err() == nil {
				w.config.Logger.Warn("cannot decide yet which build gets work", zap.Duration("for", since), zap.Error(err))
			}
			every, soon = min(soon, every), min(2*soon, laterLook)
		}
		pause(ctx, every)
		if ctx.Err() != nil {
			return
		}
		if err := w.Bootstrap(ctx); err != nil && ctx.Err() == nil {
			w.config.Logger.Warn("bootstrap", zap.Error(err))
		}
	}
}

// Bootstrap creates namespace, search attributes and the reconciler's Schedule where they are absent. A Schedule that
// is absent means a new or lost Temporal database: the epoch is incremented first, so that the reconciler starts
// everything again.
func (w *Worker) Bootstrap(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := w.ensureNamespace(ctx); err != nil {
		return err
	}
	if err := w.ensureSearchAttributes(ctx); err != nil {
		return err
	}
	return w.ensureReconciler(ctx)
}

func (w *Worker) ensureNamespace(ctx context.Context) error {
	service := w.config.Client.WorkflowService()
	_, err := service.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: w.config.Namespace})
	var absent *serviceerror.NamespaceNotFound
	if !errors.As(err, &absent) {
		return err
	}
	_, err = service.RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: w.config.Namespace, WorkflowExecutionRetentionPeriod: durationpb.New(retention),
		Description: "Perennial: subscription billing",
	})
	var exists *serviceerror.NamespaceAlreadyExists
	if errors.As(err, &exists) {
		return nil
	}
	return err
}

// searchAttributes are all the keywords of contract.
func searchAttributes() map[string]enumspb.IndexedValueType {
	out := map[string]enumspb.IndexedValueType{}
	for _, key := range []temporal.SearchAttributeKeyKeyword{
		contract.SearchEnvironment, contract.SearchCustomer, contract.SearchPlan,
		contract.SearchStatus, contract.SearchNextAction,
	} {
		out[key.GetName()] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
	}
	return out
}

// MissingSearchAttributes lists what operators could not search by; for the doctor.
func MissingSearchAttributes(ctx context.Context, c client.Client, namespace string) ([]string, error) {
	in := &operatorservice.ListSearchAttributesRequest{Namespace: namespace}
	known, err := c.OperatorService().ListSearchAttributes(ctx, in)
	if err != nil {
		return nil, err
	}
	var missing []string
	for name := range searchAttributes() {
		if _, ok := known.GetCustomAttributes()[name]; !ok {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

func (w *Worker) ensureSearchAttributes(ctx context.Context) error {
	missing, err := MissingSearchAttributes(ctx, w.config.Client, w.config.Namespace)
	if err != nil || len(missing) == 0 {
		return err
	}
	add := map[string]enumspb.IndexedValueType{}
	for _, name := range missing {
		add[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
	}
	_, err = w.config.Client.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: w.config.Namespace, SearchAttributes: add,
	})
	var exists *serviceerror.AlreadyExists
	if errors.As(err, &exists) {
		return nil
	}
	return err
}

func (w *Worker) ensureReconciler(ctx context.Context) error {
	schedules := w.config.Client.ScheduleClient()
	_, err := schedules.GetHandle(ctx, contract.ReconcilerScheduleID).Describe(ctx)
	var absent *serviceerror.NotFound
	if !errors.As(err, &absent) {
		return err
	}
	epoch, err := w.config.Activities.NewEpoch(ctx)
	if err != nil {
		return err
	}
	w.config.Logger.Info("Temporal has no reconciler schedule; starting a new epoch", zap.Int64("epoch", epoch))
	_, err = schedules.Create(ctx, client.ScheduleOptions{
		ID:                 contract.ReconcilerScheduleID,
		Spec:               client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: w.config.ReconcileEvery}}},
		Overlap:            enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
		TriggerImmediately: true,
		Action: &client.ScheduleWorkflowAction{
			ID: contract.ReconcilerWorkflowID, Workflow: contract.ReconcilerWorkflow, TaskQueue: contract.QueueBilling,
		},
	})
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return nil
	}
	return err
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
