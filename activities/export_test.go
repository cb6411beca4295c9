package activities

import (
	"context"
	"time"
)

// RecordingTime is for tests of deadlines.
const RecordingTime = recordingTime

// Know and Take are what an exchange asks of a Pacing.
func Know(p *Pacing) error { return p.know(context.Background()) }

// Take takes a turn.
func Take(p *Pacing, account string, perSecond int) time.Duration { return p.take(account, perSecond) }

// Owe counts requests beside one that had a turn.
func Owe(p *Pacing, account string, perSecond, requests int) { p.owe(account, perSecond, requests) }
