package api

import (
	"bytes"
	"strings"
)

// replaceField sets one field of a flat JSON object to a raw value; an empty value takes it away.
func replaceField(object, field, value string) string {
	var out bytes.Buffer
	for _, part := range strings.Split(strings.Trim(object, "{}"), ",") {
		if !strings.HasPrefix(part, `"`+field+`":`) {
			out.WriteString("," + part)
		}
	}
	if value != "" {
		out.WriteString(`,"` + field + `":` + value)
	}
	return "{" + strings.TrimPrefix(out.String(), ",") + "}"
}
