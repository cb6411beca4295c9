package devstack

// Silent drops the messages of a client of Temporal, for programs and tests that report errors themselves, or that
// expect a server that is not up yet.
type Silent struct{}

// Debug drops it.
func (Silent) Debug(string, ...any) {}

// Info drops it.
func (Silent) Info(string, ...any) {}

// Warn drops it.
func (Silent) Warn(string, ...any) {}

// Error drops it.
func (Silent) Error(string, ...any) {}
