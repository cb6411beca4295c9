package activities

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAppSlots_BoundEachAppAndGiveTogether(t *testing.T) {
	t.Parallel()
	var s appSlots
	most := s.take("app_1", appInFlight-3, appInFlight-3)
	require.Len(t, most, appInFlight-3)
	require.Empty(t, s.take("app_1", 10, 10), "three are not enough to begin together")
	few := s.take("app_1", 10, 2)
	require.Len(t, few, 3, "who is content with less gets what is there")
	require.Empty(t, s.take("app_1", 1, 0), "all are taken")
	require.Len(t, s.take("app_2", 10, 10), 10, "another app has its own")
	few[0]()
	few[0]()
	require.Len(t, s.take("app_1", 10, 0), 1, "a slot given back twice is one slot")
}
