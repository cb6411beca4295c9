package httpkit

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRefuse_OnlyACallerWithAKeyIsToldToRepeatWithIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		repeat *repeatable
		want   string
	}{
		{nil, "Check whether it was performed before you repeat it"},
		{&repeatable{key: "k"}, "Repeat it with the same Idempotency-Key"},
	} {
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), callKey{}, &Call{repeat: c.repeat}))
		cancel()
		require.Contains(t, interrupted(ctx), c.want)
	}
}
