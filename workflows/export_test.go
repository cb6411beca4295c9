package workflows

import (
	"testing"
	"time"
)

// SetRunAge lowers the age at which runs continue as new, until the end of the test. Not for parallel tests: others run
// with the real age.
func SetRunAge(t *testing.T, age time.Duration) {
	before := runAge
	runAge = age
	t.Cleanup(func() { runAge = before })
}
