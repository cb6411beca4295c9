package bare

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"perennial/bench/stage"
)

// Names on Temporal. The queues are the product's, in the bare side's own namespace.
const (
	QueueBilling  = "billing"
	QueuePayments = "payments"
	SignalCommand = "command"
)

// Input starts a workflow.
type Input struct {
	Subject stage.Subject
	Due     time.Time
	Writes  bool // play only the writes
}

// runAge is the age at which a run continues as new after a period, as the product's.
const runAge = time.Minute

// player names the activities for workflows; the worker registers the real ones.
var player *Activities

func local(ctx workflow.Context) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout: 5 * time.Second,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumInterval: time.Second},
	})
}

// Renewal runs a timer, a local activity and an activity, and a new run where the product would begin one.
func Renewal(ctx workflow.Context, in Input) error {
	began := workflow.Now(ctx)
	for {
		if err := workflow.NewTimer(ctx, in.Due.Sub(workflow.Now(ctx))).Get(ctx, nil); err != nil {
			return err
		}
		var invented Vars
		if err := workflow.ExecuteLocalActivity(local(ctx), player.Renew, in).Get(ctx, &invented); err != nil {
			return err
		}
		paying := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			TaskQueue: QueuePayments, StartToCloseTimeout: time.Minute,
			RetryPolicy: &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumInterval: time.Minute},
		})
		if err := workflow.ExecuteActivity(paying, player.Charge, in, invented).Get(ctx, nil); err != nil {
			return err
		}
		in.Due = in.Due.AddDate(0, 0, 1)
		if workflow.Now(ctx).Sub(began) >= runAge {
			return workflow.NewContinueAsNewError(ctx, Renewal, in)
		}
	}
}

// Commanded wakes at every signal, without any action.
func Commanded(ctx workflow.Context, in Input) error {
	signals := workflow.GetSignalChannel(ctx, SignalCommand)
	due := workflow.NewTimer(ctx, in.Due.Sub(workflow.Now(ctx)))
	selector := workflow.NewSelector(ctx).
		AddReceive(signals, func(c workflow.ReceiveChannel, _ bool) { c.Receive(ctx, nil) }).
		AddFuture(due, func(workflow.Future) {})
	for !due.IsReady() {
		selector.Select(ctx)
	}
	return nil
}

// Idle waits until the due time.
func Idle(ctx workflow.Context, in Input) error {
	return workflow.NewTimer(ctx, in.Due.Sub(workflow.Now(ctx))).Get(ctx, nil)
}

// Activities play the script.
type Activities struct {
	Pool      *pgxpool.Pool
	Script    *Script
	Writes    *Script
	HTTP      *http.Client
	Simulator string
}

func (a *Activities) script(in Input) *Script {
	if in.Writes {
		return a.Writes
	}
	return a.Script
}

// Renew plays the transaction that opens a period, and returns the ids that the charge needs.
func (a *Activities) Renew(ctx context.Context, in Input) (Vars, error) {
	s := a.script(in)
	vars := called(s.Subject, in.Subject)
	if err := s.Renew.Play(ctx, a.Pool, vars); err != nil {
		return nil, err
	}
	for recorded := range vars {
		if !slices.Contains(s.shared, recorded) {
			delete(vars, recorded)
		}
	}
	return vars, nil
}

// Charge plays both transactions of a charge and the call between them.
func (a *Activities) Charge(ctx context.Context, in Input, vars Vars) error {
	s := a.script(in)
	if err := s.Intend.Play(ctx, a.Pool, vars); err != nil {
		return err
	}
	if err := s.Call.Send(ctx, a.HTTP, a.Simulator, vars); err != nil {
		return err
	}
	return s.Record.Play(ctx, a.Pool, vars)
}

// PlayCommand plays the transaction of one command.
func (s *Script) PlayCommand(ctx context.Context, pool *pgxpool.Pool, vars Vars, step int) error {
	return s.Steps[step].Play(ctx, pool, vars)
}

// Commanded returns the common ids of one subscription's commands: one command ends its items and another brings them
// back, so all steps use the same ids.
func (s *Script) Commanded(subject stage.Subject) Vars {
	vars := called(s.Command, subject)
	for i, item := range s.Command.Row().Items {
		vars[item.ID] = subject.Row().Items[i].ID
	}
	return vars
}

// CreateSubscription plays the transaction that creates a subscription, and returns its id.
func (s *Script) CreateSubscription(ctx context.Context, pool *pgxpool.Pool, customerID string) (string, error) {
	vars := Vars{s.Created.CustomerID: customerID}
	err := s.Create.Play(ctx, pool, vars)
	return vars[s.Created.SubscriptionID], err
}

func called(recorded, now stage.Subject) Vars {
	return Vars{recorded.CustomerID: now.CustomerID, recorded.SubscriptionID: now.SubscriptionID}
}
