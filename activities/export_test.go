package activities

import (
	"context"
	"time"
)

// RecordingTime is for tests of deadlines.
const RecordingTime = recordingTime

// Know and Take are what an exchange asks of a Pacing.
func Know(p *Pacing) error { return p.know(context.Background()) }

// Take takes a turn for a payment.
func Take(p *Pacing, account, payment string, perSecond int) time.Duration {
	return p.take(account, payment, perSecond)
}

// Spread is how a wait is spread.
func Spread(wait time.Duration) time.Duration { return spread(wait) }

// Owe counts requests beside one that had a turn.
func Owe(p *Pacing, account string, perSecond, requests int) { p.owe(account, perSecond, requests) }

// TakeSlot and ReleaseSlot are the begin and the end of an exchange.
func TakeSlot(s *Slots, account, provider string) bool { return s.take(account, provider) }

// ReleaseSlot gives a slot back.
func ReleaseSlot(s *Slots, account, provider string) { s.release(account, provider) }
