package activities

import (
	"context"
	"time"

	"perennial/billing/charging"
)

// RecordingTime is for tests of deadlines.
const RecordingTime = recordingTime

// Know and Take are what an exchange asks of a Pacing.
func Know(p *Pacing) error { return p.know(context.Background()) }

// Take takes a turn of a first send that was told none; zero: it has one now.
func Take(p *Pacing, account string, perSecond int) time.Duration {
	wait, _ := p.take(account, perSecond, charging.ErrandSend, time.Time{})
	return wait
}

// TakeTold takes the turn that a first send was told.
func TakeTold(p *Pacing, account string, perSecond int, turn time.Time) (wait time.Duration, mine bool) {
	return p.take(account, perSecond, charging.ErrandSend, turn)
}

// ShortTurn is a wait for a turn as a repeat of the activity.
const ShortTurn = shortTurn

// TakeUrgent takes a turn for what a callback asks for.
func TakeUrgent(p *Pacing, account string, perSecond int) time.Duration {
	wait, _ := p.take(account, perSecond, charging.ErrandUrgent, time.Time{})
	return wait
}

// TakePoll takes a turn for a look-up that nobody asked for.
func TakePoll(p *Pacing, account string, perSecond int) (wait time.Duration, mine bool) {
	return p.take(account, perSecond, charging.ErrandPoll, time.Time{})
}

// Owe counts requests beside one that had a turn.
func Owe(p *Pacing, account string, perSecond, requests int) { p.owe(account, perSecond, requests) }

// TakeSlot and ReleaseSlot are the begin and the end of an exchange.
func TakeSlot(s *Slots, account, provider string) bool { return s.take(account, provider) }

// ReleaseSlot gives a slot back.
func ReleaseSlot(s *Slots, account, provider string) { s.release(account, provider) }
