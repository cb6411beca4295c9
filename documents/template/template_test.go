package template_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/documents/template"
)

func rendered(t *testing.T, source string) (string, error) {
	t.Helper()
	parsed, err := template.Parse(source)
	if err != nil {
		return "", err
	}
	out, err := parsed.Render(map[string]any{"name": "Ada", "lines": []map[string]any{{"amount": "1"}, {"amount": "2"}}})
	return string(out), err
}

func TestRender(t *testing.T) {
	t.Parallel()
	got, err := rendered(t, `{% for l in lines %}{{ l.amount | append: ";" }}{% endfor %}{{ name | upcase | replace: "D", "-" }}`)
	require.NoError(t, err)
	require.Equal(t, "1;2;A-A", got)
}

// What a person sees who wrote a bad template.
func TestParse_SaysWhere(t *testing.T) {
	t.Parallel()
	for source, line := range map[string]int{
		"{% if %}": 1, "one\n{% for x in lines %}\n{{ x }}": 2, "a\nb\n{% nothing %}": 3, "{{ name | }": 0,
	} {
		_, err := template.Parse(source)
		if line == 0 {
			continue // the library takes it for text
		}
		var fault *template.Error
		require.ErrorAs(t, err, &fault, source)
		require.Equal(t, line, fault.Line, source)
	}
	_, err := template.Parse(strings.Repeat("x", template.MaxSource+1))
	require.ErrorContains(t, err, "at most")
}

// A template of an enemy ends soon, with little memory, and reaches nothing.
func TestRender_Bounds(t *testing.T) {
	t.Parallel()
	twice := `{% assign s = "xxxxxxxx" %}{% for i in (1..40) %}{% assign s = s | append: s %}{% endfor %}`
	for name, source := range map[string]string{
		"a loop that writes nothing":  `{% for i in (1..1000000000) %}{% endfor %}`,
		"with a dash":                 `{%- for i in (1..1000000000) -%}{%- endfor -%}`,
		"that counts back":            `{% for i in (1..1000000000) %}{% perennial_tick -100000000 %}{% endfor %}`,
		"with a percent sign":         `{% for i in (1..1000000000) reversed %x %}{% endfor %}`,
		"on two lines":                "{%\n for i in (1..1000000000)\n%}{% endfor %}",
		"loops within loops":          `{% for i in (1..5000) %}{% for j in (1..5000) %}{% endfor %}{% endfor %}`,
		"a loop that writes":          `{% for i in (1..1000000000) %}` + strings.Repeat("x", 1000) + `{% endfor %}`,
		"a loop into a variable":      `{% capture s %}{% for i in (1..1000000000) %}xxxxxxxxxx{% endfor %}{% endcapture %}`,
		"a text that doubles":         twice,
		"a text that grows":           strings.ReplaceAll(twice, "append: s", "replace: 'x', 'xxxxxxxxx'"),
		"a forged loop":               `{% assign forloop = name %}{% cycle "a", "b" %}`,
		"a file":                      `{% include "/etc/passwd" %}`,
		"a value that does not exist": `{{ secret }}`,
	} {
		out, err := rendered(t, source)
		var fault *template.Error
		require.ErrorAs(t, err, &fault, "%s: %s", name, cut(out))
		require.Empty(t, out)
	}
}

func cut(s string) string { return s[:min(len(s), 80)] }
