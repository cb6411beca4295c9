package config

import (
	"fmt"
	"strings"
)

//go:generate go run ./doc -out ../../docs/configuration.md

// Markdown is the page docs/configuration.md.
func Markdown() string {
	var out strings.Builder
	out.WriteString(`# Configuration

<!-- Generated from internal/config/variables.go by "make generate": change it there. -->

Every setting is an environment variable, read once at start. A process with a wrong one does not start: it lists all
that is wrong and how to fix each. An empty value counts as absent. Secrets are never logged.

| variable | default | needed by | meaning | example |
|---|---|---|---|---|
`)
	for _, v := range variables {
		def := "–"
		if v.Default != "" {
			def = "`" + v.Default + "`"
		}
		needed := "–"
		if len(v.RequiredBy) > 0 {
			needed = join(v.RequiredBy)
		}
		meaning := v.Meaning
		if v.Secret {
			meaning += " *Secret.*"
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | `%s` |\n", v.Name, def, needed, strings.ReplaceAll(meaning, "|", `\|`),
			v.Example)
	}
	out.WriteString(kept)
	return out.String()
}

// kept is the end of the page. The directories are devstack's and dev's; no variable of ours moves them. A ^ replaces a
// backquote, which this string cannot have.
var kept = strings.ReplaceAll(`
## What "make dev" and "make test" keep

| where | what | to delete it |
|---|---|---|
| ^.perennial/^ in the clone | data, logs and keys of ^make dev^ and of tests | ^make clean-dev^ |
| ^~/.cache/perennial/^ (or below ^XDG_CACHE_HOME^); on macOS ^~/Library/Caches/perennial/^ | downloaded programs, shared by all clones: PostgreSQL where none is installed, the Temporal CLI, the tools of ^make check^ | delete the directory; the next start downloads them again |
| ^/var/cache/perennial/^ | the same for root, where the account that PostgreSQL runs as cannot enter root's home | the same |
| ^/var/tmp/perennial-postgres-*^ | PostgreSQL's data for root, where that account cannot enter the clone; ^.perennial/postgres^ is then a link to it | ^make clean-dev^ |

^make clean-dev^ prints which of the caches is yours. PostgreSQL is downloaded from Maven Central and compared with the
checksums in internal/devstack/postgresql.sha256. Go programs are compiled from the module proxy, which Go verifies.
Nothing is downloaded for a program of the right version on ^PATH^.
`, "^", "`")
