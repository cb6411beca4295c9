// Package wait says how long tests wait for events. It does not own the events.
package wait

import "time"

// Patience is the time for which a test waits for an event before it fails. It is the longest time that a sound program
// can need on a busy machine, and no measure of speed: a test that passes never waits for it.
const Patience = 5 * time.Minute
