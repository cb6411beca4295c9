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
that is wrong and how to mend each. An empty value counts as absent. Secrets are never logged.

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
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | `%s` |\n", v.Name, def, needed, strings.ReplaceAll(meaning, "|", `\|`), v.Example)
	}
	return out.String()
}
