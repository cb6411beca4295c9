package yamldoc

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Render writes what v is in JSON as YAML, in the order in which its fields are declared.
func Render(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	root, err := node(dec)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		return nil, err
	}
	return out.Bytes(), enc.Close()
}

// node reads the next JSON value.
func node(dec *json.Decoder) (*yaml.Node, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	delim, composed := token.(json.Delim)
	if !composed {
		return leaf(token), nil
	}
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if delim == '[' {
		n = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	}
	for dec.More() { // of an object: keys and values in turn, as in a mapping node
		below, err := node(dec)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, below)
	}
	_, err = dec.Token()
	return n, err
}

// leaf has a tag, so that a text which looks like a number is quoted.
func leaf(token json.Token) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(token)}
	switch token := token.(type) {
	case string:
		n.Tag = "!!str"
	case json.Number:
		n.Tag = "!!int"
		if bytes.ContainsAny([]byte(token), ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag = "!!bool"
	case nil:
		n.Tag, n.Value = "!!null", "null"
	}
	return n
}
