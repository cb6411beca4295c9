package scenario

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/client"

	"perennial/bench/bare"
	"perennial/bench/internal/load"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
	"perennial/bench/stage"
)

// commands measures cancel and patch through the API, and a client that plays the same transaction and signals a
// workflow with a start. Each subscription gets the recorded commands in their order, so both sides perform each on the
// same state.
func commands(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	n := Pick(o, 60, 400)
	due := time.Now().AddDate(0, 0, 14)
	ourIDs, bareIDs, err := commanded(ctx, r, n)
	if err != nil {
		return out, err
	}
	rows := map[string]*result.Row{
		"cancel": {Path: "cancel at period end, 32 clients", Unit: "1/s", Goal: result.Goal{Ratio: 0.7}},
		"patch":  {Path: "patch plan, 32 clients", Unit: "1/s", Goal: result.Goal{Ratio: 0.7}},
	}
	ourLoads, bareLoads := map[string][]load.Load{}, map[string][]load.Load{}
	names := make([]bare.Vars, n)
	for i := range names {
		names[i] = r.Bare.Script.Commanded(bareIDs[i])
	}
	r.Settle(ctx)
	for step, name := range bare.StepNames {
		before := r.ProcessorUsage()
		ours, err := load.Drive(ctx, 32, load.Until{Count: n}, func(ctx context.Context, i int) error {
			return r.Command(ctx, name, ourIDs[i].SubscriptionID)
		})
		if err != nil {
			return out, err
		}
		// The answer does not wait for the workflow, whose work counts too.
		if err := load.WakesDone(ctx, r.Ours.Pool); err != nil {
			return out, err
		}
		r.Settle(ctx)
		ours.CPU = r.ProcessorUsage().Each(before, n)
		before = r.ProcessorUsage()
		other, err := load.Drive(ctx, 32, load.Until{Count: n}, func(ctx context.Context, i int) error {
			if err := r.Bare.Script.PlayCommand(ctx, r.Bare.Pool, names[i], step); err != nil {
				return err
			}
			options := client.StartWorkflowOptions{ID: bareIDs[i].SubscriptionID, TaskQueue: bare.QueueBilling}
			in := bare.Input{Subject: bareIDs[i], Due: due}
			_, err := r.Bare.Temporal.SignalWithStartWorkflow(ctx, options.ID,
				bare.SignalCommand, nil, options, bare.Commanded, in)
			return err
		})
		if err != nil {
			return out, err
		}
		r.Settle(ctx)
		other.CPU = r.ProcessorUsage().Each(before, n)
		r.Say("%s: ours %s/s, bare %s/s", name, result.Number(ours.Rate()), result.Number(other.Rate()))
		// Both directions are the same command and share a row.
		if name == "patch back" {
			name = "patch"
		}
		if measured := rows[name]; measured != nil {
			measured.Ours, measured.Bare = append(measured.Ours, ours.Rate()), append(measured.Bare, other.Rate())
			ourLoads[name], bareLoads[name] = append(ourLoads[name], ours), append(bareLoads[name], other)
			detail(measured, ourLoads[name], bareLoads[name])
		}
	}
	out.Rows = []result.Row{*rows["cancel"], *rows["patch"]}
	return out, nil
}

// commanded starts n subscriptions of each side whose workflows wait for commands.
func commanded(ctx context.Context, r *rig.Rig, n int) (ours, other []stage.Subject, err error) {
	now := time.Now()
	if ours, err = r.Stage.Trials(ctx, r.Ours.Store, n, now); err != nil {
		return nil, nil, err
	}
	if other, err = r.Stage.Trials(ctx, r.Bare.Store, n, now); err != nil {
		return nil, nil, err
	}
	if err := r.StartOursAll(ctx, ours); err != nil {
		return nil, nil, err
	}
	_, err = load.Drive(ctx, 32, load.Until{Count: n}, func(ctx context.Context, i int) error {
		return r.StartBareWorkflow(ctx, bare.Commanded, bare.Input{Subject: other[i], Due: now.AddDate(0, 0, 14)})
	})
	if err != nil {
		return nil, nil, err
	}
	return ours, other, errors.Join(r.Begun(ctx, r.Ours.Temporal, ours), r.Begun(ctx, r.Bare.Temporal, other))
}
