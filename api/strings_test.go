package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Texts of JSON, without their quotes: those that are never allowed, those allowed only in a caller's own notes, and
// those allowed anywhere, as far as the field allows them.
var (
	brokenTexts   = []string{`\u0000`, `\ud800`, `a\u0000b`, `\udc00\ud800`, `a\ud83d`}
	deceptive     = []string{`\u200b`, `\u202e`, `\ufeff\u2060`, `abc\u202ecba`, `\u2066a`}
	harmlessTexts = []string{`a\u200bb`, `\u0301`, `\u200f`, `\ud83d\ude00`, `１`, strings.Repeat("x", 100_000), ``, ` `}
)

// one of the texts, another for each n: every place is sent one of each kind, and every text is sent to many places.
func one(texts []string, n int) string { return texts[n%len(texts)] }

// isNote reports whether the value at a path is the caller's own.
func isNote(path []string) bool {
	at := slices.IndexFunc(
		path, func(step string) bool { return step == "metadata" || step == "properties" || step == "data" },
	)
	return at >= 0 && at < len(path)-1
}

// placed is a body with a marker for the value at a path, and everything else as in the example.
func placed(example any, path []string, marker string) any {
	if len(path) == 0 {
		return marker
	}
	switch step := path[0]; step {
	case "[]":
		var first any
		if list, _ := example.([]any); len(list) > 0 {
			first = list[0]
		}
		return []any{placed(first, path[1:], marker)}
	default:
		if step == "*" {
			step = "x"
		}
		object, _ := example.(map[string]any)
		object = maps.Clone(object)
		if object == nil {
			object = map[string]any{}
		}
		object[step] = placed(object[step], path[1:], marker)
		return object
	}
}

// bodies are the contents of all operations' bodies, by path and method. The document is rendered and read once.
var bodies = sync.OnceValues(func() (map[string]map[string]map[string]struct{ Example json.RawMessage }, error) {
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct{ Example json.RawMessage }
			}
		}
	}
	err := json.Unmarshal(Document("test"), &doc)
	all := map[string]map[string]map[string]struct{ Example json.RawMessage }{}
	for path, methods := range doc.Paths {
		all[path] = map[string]map[string]struct{ Example json.RawMessage }{}
		for method, operation := range methods {
			all[path][method] = operation.RequestBody.Content
		}
	}
	return all, err
})

// bodyOf is the example of an operation's body, the caller's own, with its content type.
func bodyOf(t *testing.T, operation string) (example any, contentType string) {
	t.Helper()
	all, err := bodies()
	require.NoError(t, err)
	method, path, _ := strings.Cut(operation, " ")
	for media, content := range all[path][strings.ToLower(method)] {
		if len(content.Example) > 0 {
			require.NoError(t, json.Unmarshal(content.Example, &example))
		}
		return example, media
	}
	return nil, ""
}

// Whatever characters a text of a request has, the response is no server error, and the text shows its contents
// wherever people see it later.
func TestRequest_TextsAreSound(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := b.fill(t, b.test)
	seen := map[string]int{}
	inputsOf(t, func(i input) {
		method, template, _ := strings.Cut(i.operation, " ")
		path := "/api" + rows.in(template)
		types, _ := json.Marshal(i.schema["type"])
		switch {
		case i.query != "":
			values := []string{"%00", "%ed%a0%80", "%E2%80%AE", "a%00b", "%E2%80%8B", "%ff", strings.Repeat("x", 5000)}
			value := one(values, seen["query"])
			got := b.ask(t, b.test, method, path+"?"+url.QueryEscape(i.query)+"="+value, nil)
			require.Less(t, got.Status, 500, "%s %s=%.20s: %s", i.operation, i.query, value, got.Body)
			if !strings.HasPrefix(value, "%E2") && !strings.HasPrefix(value, "x") {
				require.Equal(t, 400, got.Status, "%s %s=%.20s: %s", i.operation, i.query, value, got.Body)
			}
			seen["query"]++
		case strings.Contains(string(types), `"string"`) || i.schema["type"] == nil && i.schema["properties"] == nil:
			example, media := bodyOf(t, i.operation)
			const marker = "MARKER"
			body, err := json.Marshal(placed(example, i.path, marker))
			require.NoError(t, err)
			send := func(text string) response {
				return b.ask(t, b.test, method, path, strings.Replace(string(body), marker, text, 1), "Content-Type", media)
			}
			for _, texts := range [][]string{brokenTexts, deceptive, harmlessTexts} {
				text := one(texts, seen["body"])
				got := send(text)
				require.Less(t, got.Status, 500, "%s %s %.20s: %s", i.operation, i.param(), text, got.Body)
				may := slices.Contains(harmlessTexts, text) || slices.Contains(deceptive, text) && isNote(i.path)
				require.True(t, may || refuses(got), "%s %s %s is accepted: %s", i.operation, i.param(), text, got.Body)
			}
			seen["body"]++
		}
	})
	require.Greater(t, seen["body"], 150)
	require.Greater(t, seen["query"], 40)
	require.NotContains(t, b.log.String(), "server error")
}

// refuses reports whether a response refuses the text, also one that judges lines or records.
func refuses(got response) bool {
	return got.Status >= 400 || strings.Contains(string(got.Body), `"text_invalid"`)
}

// Headers and paths are texts too.
func TestRequest_HeadersAndPathsAreSound(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := b.fill(t, b.test)
	b.asksPayer(t, nil)
	values := []string{"a\x00b", "\xff\xfe", "\xed\xa0\x80", "\u202eb", "\u200b", strings.Repeat("x", 5000), ""}
	for _, header := range []string{
		"Idempotency-Key", "Perennial-Actor", "Prefer", "Authorization", "Content-Type", "Content-Encoding",
		"Accept", "User-Agent",
		"X-Forwarded-For", "X-Request-Id", "If-None-Match", "Origin", "traceparent",
	} {
		for _, value := range values {
			r := b.request(t, "PATCH", "/api/plans/"+rows.plan, `{"active":true}`, "Authorization", "Bearer "+b.test.key)
			r.Header[http.CanonicalHeaderKey(header)] = []string{value}
			require.Less(t, b.serve(r).Status, 500, "%s: %.20q", header, value)
		}
	}
	n := 0
	ask := func(method, template string) {
		n++
		for _, value := range []string{one(values, n), one(values, n+1)} {
			r := httptest.NewRequestWithContext(t.Context(), method, "/", nil)
			r.URL = &url.URL{Path: strings.NewReplacer("{id}", value, "{token}", value, "{provider}", value, "{secret}", value).
				Replace(template), RawQuery: "payment_intent=%00&redirectResult=%ff"}
			r.Header.Set("Authorization", "Bearer "+b.test.key)
			r.Header.Set("Idempotency-Key", fmt.Sprintf("key-%d", n))
			got := b.serve(r)
			require.Less(t, got.Status, 500, "%s %s with %.20q: %s", method, template, value, got.Body)
		}
	}
	eachRoute(t, b, func(method, template string) {
		if strings.HasPrefix(template, "/api/") {
			ask(method, template)
		}
	})
	for route := range open {
		method, template, _ := strings.Cut(route, " ")
		for range values {
			ask(method, template)
		}
	}
	require.NotContains(t, b.log.String(), "server error")
}
