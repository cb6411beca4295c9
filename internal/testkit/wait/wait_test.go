package wait

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hasty are waits for an event that give up after seconds: on a busy machine, such a test fails without a fault.
var hasty = []*regexp.Regexp{
	regexp.MustCompile(
		`\bEventually(WithT)?\(.*[0-9*]\s?\*?\s?time\.(Second|Millisecond), .*time\.(Milli|Micro)?[sS]econd`,
	),
	regexp.MustCompile(`case <-time\.After\((([1-9]\d?) ?\* ?)time\.Second\)`),
	regexp.MustCompile(`"--?timeout", "\d+(ms|s)"`),
}

// allowed lists the tests of giving up.
var allowed = map[string]string{
	"cmd/perennial/serve_test.go": `"doctor", "--timeout", "2s"`,
}

func TestPatience_NoTestWaitsForSeconds(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	files := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != root {
			return fs.SkipDir // not ours: bench keeps older versions of the tree below .perennial
		}
		if !strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "wait_test.go" {
			return nil
		}
		content, err := os.ReadFile(path) //nolint:gosec // a file of our own tree
		if err != nil {
			return err
		}
		files++
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for n, line := range strings.Split(string(content), "\n") {
			for _, pattern := range hasty {
				if part, ok := allowed[filepath.ToSlash(name)]; ok && strings.Contains(line, part) {
					continue
				}
				require.False(t, pattern.MatchString(line),
					"%s:%d gives up after seconds; wait for wait.Patience:\n%s", name, n+1, line)
			}
		}
		return nil
	}))
	require.Greater(t, files, 400)
}

func TestHasty(t *testing.T) {
	t.Parallel()
	match := func(line string) bool {
		for _, pattern := range hasty {
			if pattern.MatchString(line) {
				return true
			}
		}
		return false
	}
	for _, line := range []string{
		"require.Eventually(t, done, 30*time.Second, 10*time.Millisecond)", "case <-time.After(10 * time.Second):",
		`got := perennial(t, env, "doctor", "--timeout", "10s")`,
	} {
		require.True(t, match(line), line)
	}
	for _, line := range []string{
		"require.Eventually(t, done, wait.Patience, 10*time.Millisecond)", "case <-time.After(time.Millisecond):",
		`got := perennial(t, env, "doctor", "--timeout", "5m")`,
	} {
		require.False(t, match(line), line)
	}
}
