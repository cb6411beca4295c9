package customer

import "time"

// The pauses between attempts to remove a payment method at its provider.
const (
	firstRemovalPause   = time.Minute
	longestRemovalPause = 24 * time.Hour
)

// RemovalPause returns the time after which a removal is tried again that has failed after so many earlier tries: it
// doubles, up to a day, and never ends.
func RemovalPause(tries int) time.Duration {
	pause := firstRemovalPause
	for range tries {
		if pause = 2 * pause; pause >= longestRemovalPause {
			return longestRemovalPause
		}
	}
	return pause
}
