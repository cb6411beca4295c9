// Package yamldoc reads YAML as a JSON value, knows the line of each part of it, and writes JSON values as YAML. It
// does not own the meaning of a document.
package yamldoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is a YAML document as JSON sees it: its Value is of map[string]any, []any, string, json.Number, bool and
// nil. A path to a part of it is written as in the details of API errors: plans.team.prices[0].amount.
type Document struct {
	Value any
	lines map[string]int
	keys  map[string][]string
}

// Error is a part that cannot be read, with its position.
type Error struct {
	Line int    // 0: the parser does not say it
	Path string // empty: the whole document
	Text string
}

func (e *Error) Error() string {
	text := e.Text
	if e.Path != "" {
		text = e.Path + ": " + text
	}
	if e.Line > 0 {
		text = "line " + strconv.Itoa(e.Line) + ": " + text
	}
	return text
}

// maxDepth exceeds the depth of any document of ours, and stops an alias of itself; maxValues stops aliases of aliases,
// which multiply.
const (
	maxDepth  = 32
	maxValues = 200_000
)

// Parse reads a text of one document: a second one is refused, since its reader would believe that it is followed. An
// empty one has the value nil. Errors are of the type *Error.
func Parse(text []byte) (Document, error) {
	var root, second yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&root); err != nil && !errors.Is(err, io.EOF) {
		return Document{}, syntaxError(err)
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		return Document{}, &Error{Line: second.Line, Text: "a second document begins here; the file must have one"}
	case !errors.Is(err, io.EOF):
		return Document{}, syntaxError(err)
	}
	r := reader{Document: Document{lines: map[string]int{}, keys: map[string][]string{}}}
	if len(root.Content) == 0 {
		return r.Document, nil
	}
	value, err := r.value(root.Content[0], "", 0)
	r.Value = value
	return r.Document, err
}

// located matches the parser's position of an error.
var located = regexp.MustCompile(`^line ([0-9]+): `)

// syntaxError takes the line out of the parser's text.
func syntaxError(err error) *Error {
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), 0
	if found := located.FindStringSubmatch(text); found != nil {
		line, _ = strconv.Atoi(found[1]) // digits
		text = text[len(found[0]):]
	}
	return &Error{Line: line, Text: text}
}

// Line returns the line of a path, counted from 1; for a path that does not exist, the line of the nearest parent.
func (d Document) Line(path string) int {
	for path != "" {
		if line, ok := d.lines[path]; ok {
			return line
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return max(d.lines[""], 1)
}

// Keys returns the keys of the mapping at a path, in their order.
func (d Document) Keys(path string) []string { return d.keys[path] }

type reader struct {
	Document
	values int
}

func (r *reader) value(n *yaml.Node, path string, depth int) (any, error) {
	if _, known := r.lines[path]; !known {
		r.lines[path] = n.Line
	}
	if r.values++; depth > maxDepth || r.values > maxValues {
		return nil, &Error{Line: n.Line, Path: path, Text: "the document is nested too deeply, or has too many values"}
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, path, depth+1)
	case yaml.MappingNode:
		return r.mapping(n, path, depth+1)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			var err error
			if list[i], err = r.value(item, fmt.Sprintf("%s[%d]", path, i), depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	default:
		return scalar(n, path)
	}
}

func (r *reader) mapping(n *yaml.Node, path string, depth int) (any, error) {
	fields := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, below := n.Content[i], n.Content[i].Value
		if path != "" {
			below = path + "." + below
		}
		if key.Kind != yaml.ScalarNode {
			return nil, &Error{Line: key.Line, Path: path, Text: "a key must be a text"}
		}
		if key.ShortTag() == "!!merge" {
			return nil, &Error{Line: key.Line, Path: path, Text: "merge keys (<<) are not supported: write the fields out"}
		}
		if _, twice := fields[key.Value]; twice {
			return nil, &Error{
				Line: key.Line, Path: below, Text: fmt.Sprintf("it is there twice, first on line %d", r.lines[below]),
			}
		}
		r.lines[below] = key.Line
		value, err := r.value(n.Content[i+1], below, depth)
		if err != nil {
			return nil, err
		}
		fields[key.Value] = value
		r.keys[path] = append(r.keys[path], key.Value)
	}
	return fields, nil
}

// number matches a JSON number.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// scalar keeps a number as it is written: 4.50 stays 4.50.
func scalar(n *yaml.Node, path string) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		var yes bool
		err := n.Decode(&yes)
		return yes, err
	case "!!int", "!!float":
		if !number.MatchString(n.Value) {
			return nil, &Error{Line: n.Line, Path: path, Text: fmt.Sprintf(
				"%.30q is not a number in plain digits; quote it if it is a text", n.Value)}
		}
		return json.Number(n.Value), nil
	default: // also a date, which is a text to us
		return n.Value, nil
	}
}
