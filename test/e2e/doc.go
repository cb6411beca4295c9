// Package e2e tests the real binary through its public HTTP API, on real servers, while they and it are killed. `make
// test` runs every scenario with small figures, `make soak` with the full ones. Random scenarios print their seed;
// TEST_SEED replays it.
package e2e
