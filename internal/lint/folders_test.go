package lint

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// open are folders of divided rooms that the wall around the room is enough for.
var open = map[string][]string{
	"service": {"dispatch", "engine", "gateway", "movefile", "servicetest"},
}

// Each folder of a room with columns has a rule for its imports. A new one would be behind no wall, since rules name
// folders one by one.
func TestWalls_EachFolderHasOne(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", ".golangci.yaml"))
	require.NoError(t, err)
	rules := string(text)
	for _, room := range []string{"db", "service", "api", "activities", "cmd/perennial"} {
		folders := packagesIn(t, room)
		require.NotEmpty(t, folders, room)
		for _, folder := range folders {
			if slices.Contains(open[room], folder) {
				continue
			}
			require.Contains(t, rules, `"${base-path}/`+room+"/"+folder+`/**"`, "give the folder a rule of depguard")
			if room == "db" {
				require.Contains(t, rules, "{ pkg: perennial/db/"+folder+`, desc: "db is the way in`, "name it in db-door")
			}
		}
	}
}

// packagesIn returns the folders of a room with Go files; Go itself walls internal ones.
func packagesIn(t *testing.T, room string) (folders []string) {
	t.Helper()
	root := filepath.Join("..", "..", filepath.FromSlash(room))
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, entry := range entries {
		files, err := filepath.Glob(filepath.Join(root, entry.Name(), "*.go"))
		require.NoError(t, err)
		if entry.IsDir() && entry.Name() != "internal" && len(files) > 0 {
			folders = append(folders, entry.Name())
		}
	}
	return folders
}
