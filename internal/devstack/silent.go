package devstack

// Silent drops what a client of Temporal says, for programs and tests that say themselves what matters, or that expect
// a server which is not up yet.
type Silent struct{}

// Debug drops it.
func (Silent) Debug(string, ...any) {}

// Info drops it.
func (Silent) Info(string, ...any) {}

// Warn drops it.
func (Silent) Warn(string, ...any) {}

// Error drops it.
func (Silent) Error(string, ...any) {}
