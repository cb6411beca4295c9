package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"go.temporal.io/sdk/client"

	"perennial/bench/bare"
	"perennial/bench/stage"
)

// commands measures cancel and patch through the API, beside a client that plays the same transaction and signals a
// workflow with a start. Each subscription goes through the recorded commands in their order, so both sides do each of
// them on the same state.
func commands(ctx context.Context, r *rig, o options) (result, error) {
	var out result
	n := pick(o, 60, 400)
	due := time.Now().AddDate(0, 0, 14)
	ourIDs, bareIDs, err := r.commanded(ctx, n)
	if err != nil {
		return out, err
	}
	rows := map[string]*row{
		"cancel": {Path: "cancel at period end, 32 clients", Unit: "1/s", Goal: goal{Ratio: 0.7}},
		"patch":  {Path: "patch plan, 32 clients", Unit: "1/s", Goal: goal{Ratio: 0.7}},
	}
	ourLoads, bareLoads := map[string][]load{}, map[string][]load{}
	names := make([]bare.Vars, n)
	for i := range names {
		names[i] = r.bare.script.Commanded(bareIDs[i])
	}
	r.settle(ctx)
	for step, name := range bare.StepNames {
		before := r.processorUsage()
		ours, err := drive(ctx, 32, until{count: n}, func(ctx context.Context, i int) error {
			return r.command(ctx, name, ourIDs[i].SubscriptionID)
		})
		if err != nil {
			return out, err
		}
		// The answer does not wait for the workflow: its part counts, too.
		if err := r.wakesDone(ctx); err != nil {
			return out, err
		}
		r.settle(ctx)
		ours.CPU = r.processorUsage().each(before, n)
		before = r.processorUsage()
		other, err := drive(ctx, 32, until{count: n}, func(ctx context.Context, i int) error {
			if err := r.bare.script.PlayCommand(ctx, r.bare.pool, names[i], step); err != nil {
				return err
			}
			options := client.StartWorkflowOptions{ID: bareIDs[i].SubscriptionID, TaskQueue: bare.QueueBilling}
			in := bare.Input{Subject: bareIDs[i], Due: due}
			_, err := r.bare.temporal.SignalWithStartWorkflow(ctx, options.ID,
				bare.SignalCommand, nil, options, bare.Commanded, in)
			return err
		})
		if err != nil {
			return out, err
		}
		r.settle(ctx)
		other.CPU = r.processorUsage().each(before, n)
		r.say("%s: ours %s/s, bare %s/s", name, number(ours.rate()), number(other.rate()))
		// Both directions are the same command: one row.
		if name == "patch back" {
			name = "patch"
		}
		if measured := rows[name]; measured != nil {
			measured.Ours, measured.Bare = append(measured.Ours, ours.rate()), append(measured.Bare, other.rate())
			ourLoads[name], bareLoads[name] = append(ourLoads[name], ours), append(bareLoads[name], other)
			measured.details(ourLoads[name], bareLoads[name])
		}
	}
	out.Rows = []row{*rows["cancel"], *rows["patch"]}
	return out, nil
}

// commanded starts n subscriptions of each side whose workflows wait for commands.
func (r *rig) commanded(ctx context.Context, n int) (ours, other []stage.Subject, err error) {
	now := time.Now()
	if ours, err = r.stage.Trials(ctx, r.ours.store, n, now); err != nil {
		return nil, nil, err
	}
	if other, err = r.stage.Trials(ctx, r.bare.store, n, now); err != nil {
		return nil, nil, err
	}
	if err := r.startOursAll(ctx, ours); err != nil {
		return nil, nil, err
	}
	_, err = drive(ctx, 32, until{count: n}, func(ctx context.Context, i int) error {
		return r.startBareWorkflow(ctx, bare.Commanded, bare.Input{Subject: other[i], Due: now.AddDate(0, 0, 14)})
	})
	if err != nil {
		return nil, nil, err
	}
	return ours, other, errors.Join(r.begun(ctx, r.ours.temporal, ours), r.begun(ctx, r.bare.temporal, other))
}

// begun waits until the last workflows to be started have had their first turn, behind whatever earlier scenarios left.
func (r *rig) begun(ctx context.Context, c client.Client, subjects []stage.Subject) error {
	for _, s := range subjects[max(0, len(subjects)-32):] {
		err := eventually(ctx, s.SubscriptionID, func() error {
			d, err := c.DescribeWorkflowExecution(ctx, s.SubscriptionID, "")
			if err == nil && d.GetWorkflowExecutionInfo().GetHistoryLength() < 4 { // started, scheduled, begun, done
				err = errors.New("its first task is not done")
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *rig) command(ctx context.Context, name, id string) error {
	url := r.ours.url + "/api/subscriptions/" + id
	var err error
	switch name {
	case "cancel":
		_, err = r.ask(ctx, http.MethodPost, url+"/cancel", `{"reason":"bench"}`, http.StatusOK)
	case "reactivate":
		_, err = r.ask(ctx, http.MethodPost, url+"/reactivate", "", http.StatusOK)
	case "patch":
		_, err = r.ask(ctx, http.MethodPatch, url, `{"planId":"`+r.stage.Pro.ID+`"}`, http.StatusOK)
	case "patch back":
		_, err = r.ask(ctx, http.MethodPatch, url, `{"planId":"`+r.stage.Basic.ID+`"}`, http.StatusOK)
	default:
		err = errors.New("no such command: " + name)
	}
	return err
}
