package config

import (
	"errors"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuildName_TellsSourcesApart(t *testing.T) {
	t.Parallel()
	built := func(pairs ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{}
		for i := 0; i < len(pairs); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return info
	}
	hash := func() (string, error) { return "aaaabbbbcccc", nil }
	gone := func() (string, error) { return "", errors.New("the file was replaced") }
	const revision = "448aa12ffffeeeeddddccccbbbbaaaa999988887"
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		hash func() (string, error)
		want string
	}{
		"clean commit": {built("vcs.revision", revision, "vcs.modified", "false"), hash, "448aa12ffffe"},
		"changed work tree": {built("vcs.revision", revision, "vcs.modified", "true"), hash,
			"448aa12ffffe-aaaabbbbcccc"},
		"image without .git":   {built(), hash, "aaaabbbbcccc"},
		"no build information": {nil, hash, "aaaabbbbcccc"},
		"changed, and the file is gone": {
			built("vcs.revision", revision, "vcs.modified", "true"), gone, "448aa12ffffe-modified",
		},
		"nothing is known": {nil, gone, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, buildName(c.info, c.hash))
		})
	}
	own, err := programHash()
	require.NoError(t, err)
	require.Len(t, own, nameLength)
}
