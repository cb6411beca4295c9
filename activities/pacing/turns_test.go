package pacing_test

import (
	"time"

	"perennial/activities/pacing"
	"perennial/billing/charging"
)

// take takes a turn of a first send that was promised none; zero: it has one now.
func take(p *pacing.Pacer, account string, perSecond int) time.Duration {
	wait, _ := p.Take(account, perSecond, charging.ErrandSend, time.Time{})
	return wait
}

// takePromised takes the turn that a first send was promised.
func takePromised(p *pacing.Pacer, account string, perSecond int, turn time.Time) (wait time.Duration, mine bool) {
	return p.Take(account, perSecond, charging.ErrandSend, turn)
}

// takeUrgent takes a turn for a request from a callback.
func takeUrgent(p *pacing.Pacer, account string, perSecond int) time.Duration {
	wait, _ := p.Take(account, perSecond, charging.ErrandUrgent, time.Time{})
	return wait
}

// takePoll takes a turn for a look-up that only time asks for.
func takePoll(p *pacing.Pacer, account string, perSecond int) (wait time.Duration, mine bool) {
	return p.Take(account, perSecond, charging.ErrandPoll, time.Time{})
}
