package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"

	"perennial/bench/internal/load"
	"perennial/bench/internal/rig"
)

// steps are the steps of one renewal in its history, in their order.
var steps = []string{
	"timer fired", "task begun", "charge scheduled", "charge begun", "charge done", "task begun again", "run continued",
	"new run begun", "asleep again",
}

// timelines returns the timelines of several waves.
func timelines(ctx context.Context, r *rig.Rig, waves []rig.Wave) (told []string, err error) {
	for i := range waves {
		one, err := timeline(ctx, r, &waves[i])
		if err != nil {
			return nil, err
		}
		r.Say("%s", one)
		told = append(told, one)
	}
	return told, nil
}

// timeline returns the times of a renewal's steps after the due second, for the subscriptions of a wave: the median and
// the last one. It reads histories, so it runs after all measurements.
func timeline(ctx context.Context, r *rig.Rig, w *rig.Wave) (string, error) {
	c := r.Ours.Temporal
	if w.Side != rig.SideOurs {
		c = r.Bare.Temporal
	}
	offsets := make(map[string][]time.Duration, len(steps))
	unstarted := 0
	var mu sync.Mutex
	_, err := load.Drive(ctx, 16, load.Until{Count: len(w.Subjects)}, func(ctx context.Context, i int) error {
		seen, err := renewalSteps(ctx, c, w.Subjects[i].SubscriptionID)
		mu.Lock()
		defer mu.Unlock()
		for step, at := range seen.at {
			offsets[step] = append(offsets[step], at.Sub(w.Due))
		}
		unstarted += seen.unstarted
		return err
	})
	if err != nil {
		return "", err
	}
	var told []string
	for _, step := range steps {
		of := offsets[step]
		if len(of) == 0 {
			continue
		}
		slices.Sort(of)
		told = append(told, fmt.Sprintf("%s %.2f / %.2f", step, of[len(of)/2].Seconds(), of[len(of)-1].Seconds()))
	}
	return fmt.Sprintf("%s, seconds after due, median / last of %d: %s; %d workflow tasks waited in vain for the worker "+
		"that had cached the run",
		w.Side, len(w.Subjects), strings.Join(told, ", "), unstarted), nil
}

// renewed has the facts of one renewal's histories: the time of each step, and the number of workflow tasks that timed
// out before a worker took them.
type renewed struct {
	at        map[string]time.Time
	unstarted int
}

// renewalSteps reads the renewed run and the next one.
func renewalSteps(ctx context.Context, c client.Client, id string) (renewed, error) {
	second, err := events(ctx, c, id, "")
	if err != nil {
		return renewed{}, err
	}
	before := second[0].GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId()
	if before == "" {
		return stepsOf(second, nil), nil
	}
	first, err := events(ctx, c, id, before)
	if err != nil {
		return renewed{}, err
	}
	return stepsOf(first, second), nil
}

func events(ctx context.Context, c client.Client, id, run string) ([]*history.HistoryEvent, error) {
	var all []*history.HistoryEvent
	pages := c.GetWorkflowHistory(ctx, id, run, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for pages.HasNext() {
		e, err := pages.Next()
		if err != nil {
			return nil, fmt.Errorf("history of %s: %w", id, err)
		}
		all = append(all, e)
	}
	return all, nil
}

func stepsOf(first, second []*history.HistoryEvent) renewed {
	seen := renewed{at: map[string]time.Time{}}
	note := func(step string, e *history.HistoryEvent) {
		if _, noted := seen.at[step]; !noted {
			seen.at[step] = e.GetEventTime().AsTime()
		}
	}
	for _, e := range first {
		_, fired := seen.at["timer fired"]
		_, done := seen.at["charge done"]
		switch e.GetEventType() {
		case enums.EVENT_TYPE_TIMER_FIRED:
			note("timer fired", e)
		case enums.EVENT_TYPE_WORKFLOW_TASK_STARTED:
			switch {
			case done:
				note("task begun again", e)
			case fired:
				note("task begun", e)
			}
		case enums.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT:
			seen.unstarted++
		case enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
			note("charge scheduled", e)
		case enums.EVENT_TYPE_ACTIVITY_TASK_STARTED:
			note("charge begun", e)
		case enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
			note("charge done", e)
		case enums.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW:
			note("run continued", e)
		default: // no step
		}
	}
	for _, e := range second {
		switch e.GetEventType() {
		case enums.EVENT_TYPE_WORKFLOW_TASK_STARTED:
			note("new run begun", e)
		case enums.EVENT_TYPE_TIMER_STARTED:
			note("asleep again", e)
		default: // no step
		}
	}
	return seen
}
