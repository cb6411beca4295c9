package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"perennial/internal/config"
)

type service struct {
	Image       string            `yaml:"image"`
	Build       any               `yaml:"build"`
	Command     []string          `yaml:"command"`
	DependsOn   map[string]depend `yaml:"depends_on"`
	Environment map[string]string `yaml:"environment"`
	Ports       []string          `yaml:"ports"`
	Volumes     []string          `yaml:"volumes"`
	ReadOnly    bool              `yaml:"read_only"`
	CapDrop     []string          `yaml:"cap_drop"`
	Healthcheck *struct {
		Test []string `yaml:"test"`
	} `yaml:"healthcheck"`
}

type depend struct {
	Condition string `yaml:"condition"`
}

type compose struct {
	Services map[string]service `yaml:"services"`
	Volumes  map[string]any     `yaml:"volumes"`
}

func load(t *testing.T) compose {
	t.Helper()
	raw, err := os.ReadFile("../docker-compose.yml")
	require.NoError(t, err)
	var c compose
	require.NoError(t, yaml.Unmarshal(raw, &c))
	return c
}

// ours tells our own image from others'.
func (s service) ours() bool { return s.Build != nil }

func TestCompose_HasEveryPart(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, name := range []string{"postgres", "temporal", "temporal-ui", "migrate", "key", "api", "worker", "simulator"} {
		require.Contains(t, c.Services, name)
	}
	for name, s := range c.Services {
		for other, d := range s.DependsOn {
			require.Contains(t, c.Services, other, "%s depends on it", name)
			switch d.Condition {
			case "service_healthy":
				require.NotNil(t, c.Services[other].Healthcheck, "%s waits for the health of %s", name, other)
			default:
				require.Equal(t, "service_completed_successfully", d.Condition, name)
			}
		}
		for _, v := range s.Volumes {
			source, _, _ := strings.Cut(v, ":")
			if strings.HasPrefix(source, ".") {
				require.FileExists(t, filepath.Join("..", source))
			} else {
				require.Contains(t, c.Volumes, source, name)
			}
		}
	}
}

func TestCompose_PublishesOnlyLoopback(t *testing.T) {
	t.Parallel()
	taken := map[string]string{}
	for name, s := range load(t).Services {
		for _, port := range s.Ports {
			require.Regexp(t, `^127\.0\.0\.1:\d+:\d+$`, port, name)
			host := strings.Split(port, ":")[1]
			require.Empty(t, taken[host], "port %s is published twice", host)
			taken[host] = name
		}
	}
}

func TestCompose_ServersHaveHealthChecks(t *testing.T) {
	t.Parallel()
	for name, s := range load(t).Services {
		if name == "migrate" || name == "key" { // they end
			continue
		}
		require.NotNil(t, s.Healthcheck, name)
		require.NotEmpty(t, s.Healthcheck.Test, name)
		if s.ours() {
			require.Equal(t, "CMD", s.Healthcheck.Test[0], "%s has no shell", name)
		}
	}
}

func TestCompose_PinsImages(t *testing.T) {
	t.Parallel()
	for name, s := range load(t).Services {
		if s.ours() {
			require.Equal(t, "perennial:${TAG:-local}", s.Image, name)
			continue
		}
		require.Regexp(t, `^[a-z/-]+:\d+\.\d+(\.\d+)?(-[a-z]+)?$`, s.Image, "%s: an exact version", name)
	}
}

func TestCompose_DropsPrivileges(t *testing.T) {
	t.Parallel()
	for name, s := range load(t).Services {
		if s.ours() {
			require.True(t, s.ReadOnly, name)
			require.Equal(t, []string{"ALL"}, s.CapDrop, name)
		}
	}
}

// variable resolves ${NAME:-default} to its default.
var variable = regexp.MustCompile(`\$\{[A-Z_]+:-([^}]*)\}`)

func TestCompose_ContainersStart(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, v := range config.Variables() {
		known[v.Name] = true
	}
	for name, s := range load(t).Services {
		if !s.ours() {
			continue
		}
		for key := range s.Environment {
			if slices.ContainsFunc(s.Command, func(arg string) bool { return strings.HasSuffix(arg, "-env="+key) }) {
				continue // named by a flag
			}
			require.True(t, known[key], "%s sets %s, which nobody reads", name, key)
		}
		require.NotEmpty(t, s.Command, name)
		_, err := config.Load(func(key string) (string, bool) {
			value, ok := s.Environment[key]
			return variable.ReplaceAllString(value, "$1"), ok
		}, config.Command(s.Command[0]))
		require.NoError(t, err, name)
	}
}

func TestDockerfile(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../Dockerfile")
	require.NoError(t, err)
	var from, user, entry []string
	for line := range strings.SplitSeq(string(raw), "\n") {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "FROM":
			from = append(from, words[1])
			user = nil // each stage begins as root
		case "USER":
			user = words[1:]
		case "ENTRYPOINT":
			entry = words[1:]
		case "ADD":
			t.Fatalf("%s: ADD fetches and unpacks on its own; use COPY", line)
		}
	}
	require.Equal(t, "scratch", from[len(from)-1], "the image that runs holds nothing but the binary")
	for _, image := range from[:len(from)-1] {
		require.Regexp(t, `^golang:\d+\.\d+\.\d+-[a-z]+$`, image, "an exact version")
	}
	require.Equal(t, []string{"65532:65532"}, user, "the last stage does not run as root, and names the user by number")
	require.Equal(t, []string{`["/perennial"]`}, entry, "no shell between signals and the process")
	require.Contains(t, string(raw), "CGO_ENABLED=0")
	require.Contains(t, string(raw), "-trimpath", "the hash by which the program names its build depends on no path")
	require.NotContains(t, string(raw), "BUILD_ID", "a name from outside, forgotten, would be shared by all builds")

	module, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	language := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(module))
	require.True(t, strings.HasPrefix(from[0], "golang:"+language[1]+"."), "%s builds a module of go %s",
		from[0], language[1])

	ignored, err := os.ReadFile("../.dockerignore")
	require.NoError(t, err)
	require.True(t, slices.Contains(strings.Fields(string(ignored)), ".perennial"),
		"development data stays out of the image")
}

func TestCompose_LeavesAnAPIKey(t *testing.T) {
	t.Parallel()
	c := load(t)
	key := c.Services["key"]
	require.Equal(t, []string{"key", "create", "--if-none"}, key.Command[:3], "up is run many times")
	require.Equal(t, "service_completed_successfully", key.DependsOn["migrate"].Condition)
	raw, err := os.ReadFile("../docker-compose.yml")
	require.NoError(t, err)
	hint, _, _ := strings.Cut(string(raw), "\nname:")
	require.Contains(t, hint, "docker compose logs key")
}
