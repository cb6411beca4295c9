package testkit

import (
	"crypto/rand"
	"encoding/binary"
	"os"
	"strconv"
	"testing"
)

// The variables that `make soak` and a person who replays a run set.
const (
	EnvSoak = "SOAK"
	EnvSeed = "TEST_SEED"
)

// Scale returns how much a scenario does: small in `make test`, the full figure in `make soak`.
func Scale(small, soak int) int {
	if os.Getenv(EnvSoak) != "" {
		return soak
	}
	return small
}

// Seed returns the seed of a random scenario and prints it; TEST_SEED replays the run that printed it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	if text := os.Getenv(EnvSeed); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s=%s is not a seed: %v", EnvSeed, text, err)
		}
		t.Logf("seed %d, given by %s", seed, EnvSeed)
		return seed
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // crypto/rand never fails: it ends the process instead
	seed := binary.BigEndian.Uint64(b[:])
	t.Logf("seed %d; replay with %s=%d", seed, EnvSeed, seed)
	return seed
}
