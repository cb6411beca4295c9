package devstack

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// toolSpec says what a program is compiled from: a package at a version, and newer versions of modules that it depends
// on, where its own have a fault. With source, that is the program, and the package only names the module that it
// imports.
type toolSpec struct {
	program pinned
	newer   []pinned
	source  []byte
}

// pinned is a package or module at a version.
type pinned struct{ path, version string }

func (p pinned) String() string { return p.path + "@" + p.version }

// parseToolSpec reads "module/path@v1.2.3", which newer modules may follow: "module/path@v1.2.3 dependency@v4.5.6".
func parseToolSpec(s string) (toolSpec, error) {
	var out toolSpec
	for i, field := range strings.Fields(s) {
		path, version, ok := strings.Cut(field, "@")
		if !ok {
			return out, fmt.Errorf("tool %q: want module@version", s)
		}
		if p := (pinned{path, version}); i == 0 {
			out.program = p
		} else {
			out.newer = append(out.newer, p)
		}
	}
	return out, nil
}

// pins lists all that the program is compiled from, the program first.
func (s toolSpec) pins() []string {
	out := []string{s.program.String()}
	for _, p := range s.newer {
		out = append(out, p.String())
	}
	return out
}

// dir is the place of the compiled program below the cache.
func (s toolSpec) dir() string {
	parts := s.pins()
	if s.source != nil {
		sum := sha256.Sum256(s.source)
		parts = append(parts, hex.EncodeToString(sum[:6]))
	}
	return filepath.FromSlash(strings.Join(parts, "+"))
}

// madeOf reports whether a program was compiled from all of this, as its build information says.
func (s toolSpec) madeOf(info *buildinfo.BuildInfo) bool {
	modules := append([]*debug.Module{&info.Main}, info.Deps...)
	has := func(p pinned) bool {
		for _, m := range modules {
			if m.Version == p.version && (p.path == m.Path || strings.HasPrefix(p.path, m.Path+"/")) {
				return true
			}
		}
		return false
	}
	for _, p := range s.newer {
		if !has(p) {
			return false
		}
	}
	return has(s.program)
}
