package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// alarm is one timer that stays armed over wake-ups for other reasons and is replaced only when its time changes: a
// wake-up costs no timer, and no stray timer wakes a sleeper a year later.
type alarm struct {
	at     time.Time
	fired  workflow.Future
	cancel workflow.CancelFunc
}

// set arms the alarm for at; the zero time disarms it. why is the timer's summary for operators.
func (a *alarm) set(ctx workflow.Context, at time.Time, why string) {
	if a.armedFor(at) || a.fired == nil && a.at.Equal(at) {
		return
	}
	if a.cancel != nil {
		a.cancel()
	}
	*a = alarm{at: at}
	if at.IsZero() {
		return
	}
	timerCtx, cancel := workflow.WithCancel(ctx)
	a.cancel = cancel
	a.fired = workflow.NewTimerWithOptions(timerCtx, max(at.Sub(workflow.Now(ctx)), 0),
		workflow.TimerOptions{Summary: why})
}

// rang reports whether the time has come.
func (a *alarm) rang() bool { return a.fired != nil && a.fired.IsReady() }

// armedFor reports whether it will ring at that time.
func (a *alarm) armedFor(at time.Time) bool {
	return a.at.Equal(at) && a.fired != nil && !a.fired.IsReady()
}
