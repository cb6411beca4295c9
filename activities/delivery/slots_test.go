package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAppSlots_BoundEachAppAndServeInOrder(t *testing.T) {
	t.Parallel()
	var s appSlots
	all := <-s.ask("app_1", appInFlight+1).granted
	require.Len(t, all, appInFlight, "no more than an app may have")
	require.Len(t, <-s.ask("app_2", 1).granted, 1, "of another app")

	first, second, third := s.ask("app_1", 2), s.ask("app_1", 2), s.ask("app_1", 2)
	require.Empty(t, first.granted)
	all[0]()
	all[0]() // once is enough
	require.Len(t, <-first.granted, 1, "what is free")
	require.Empty(t, second.granted, "it came later")

	s.withdraw(second)
	all[1]()
	granted := <-third.granted
	require.Len(t, granted, 1)

	fourth := s.ask("app_1", 5)
	granted[0]()
	s.withdraw(fourth) // after it was granted
	require.Len(t, <-s.ask("app_1", 5).granted, 1)
	require.Empty(t, s.queue)
}
