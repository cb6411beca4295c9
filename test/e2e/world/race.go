//go:build race

package world

// raceDetector: the tests run with it, so the binary under test does too.
const raceDetector = true
