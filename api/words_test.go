package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every property of the document has a description, and there are no words for missing properties.
func TestWords_DescribeEveryProperty(t *testing.T) {
	t.Parallel()
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct {
					Description string
					Ref         string `json:"$ref"`
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(Document("test"), &doc))
	used := map[string]bool{}
	for schema, s := range doc.Components.Schemas {
		for name, p := range s.Properties {
			at := schema + "." + name
			require.True(t, p.Description != "" || p.Ref != "", "%s has no description: give it one, or words", at)
			for _, key := range []string{at, name} {
				used[key] = used[key] || p.Description == words[key]
			}
		}
	}
	for key, text := range words {
		require.True(t, used[key], "no property has the words of %s", key)
		require.True(t, strings.HasSuffix(text, "."), "%s: %s", key, text)
	}
}
