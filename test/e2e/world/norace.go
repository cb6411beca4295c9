//go:build !race

package world

// raceDetector: the tests run without it.
const raceDetector = false
