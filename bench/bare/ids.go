package bare

import (
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"perennial/internal/id"
)

// Vars has the ids of one run of a tape, by recorded id.
type Vars map[string]string

// idPattern matches the product's ids, the keys of sends (UUIDs) and the provider's ids in recorded arguments.
var idPattern = regexp.MustCompile(`(?:[a-z]+_[0-9a-z]{26}|pi_[0-9A-Za-z]+|bench-key-[0-9]+|` + uuidPattern + `)`)

const uuidPattern = `[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`

var isUUID = regexp.MustCompile(`^` + uuidPattern + `$`)

// of returns the id of this run for a recorded one, which it invents on the first use.
func (v Vars) of(recorded string) string {
	if now, ok := v[recorded]; ok {
		return now
	}
	fresh := uuid.NewString()
	if !isUUID.MatchString(recorded) {
		fresh = id.New(recorded[:strings.LastIndexAny(recorded, "_-")+1], time.Now())
	}
	v[recorded] = fresh
	return fresh
}

// text is a string that is cut at recorded ids: literal, id, literal, id, …, literal.
type text []string

// cut returns nil where s has no id that changes from run to run.
func cut(s string, constant map[string]bool) text {
	var t text
	end := 0
	for _, at := range idPattern.FindAllStringIndex(s, -1) {
		found := s[at[0]:at[1]]
		if constant[found] {
			continue
		}
		t = append(t, s[end:at[0]], found)
		end = at[1]
	}
	if t == nil {
		return nil
	}
	return append(t, s[end:])
}

func (t text) with(v Vars) string {
	if len(t) == 3 && t[0] == "" && t[2] == "" {
		return v.of(t[1])
	}
	var b strings.Builder
	for i, part := range t {
		if i%2 == 1 {
			part = v.of(part)
		}
		b.WriteString(part)
	}
	return b.String()
}

// ids returns the recorded ids of t.
func (t text) ids() []string {
	var out []string
	for i := 1; i < len(t); i += 2 {
		out = append(out, t[i])
	}
	return out
}
