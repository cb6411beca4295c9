// Package wait says how long tests wait for what must happen. It does not own what they wait for.
package wait

import "time"

// Patience is how long a test waits for an event before it fails. It is the longest time that a sound program can need
// on a machine with much else to do, and no measure of speed: a test that passes never waits for it.
const Patience = 5 * time.Minute
