package stripesim

import (
	"net/http"
	"net/url"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"perennial/providers/simulator/core"
)

// params lists the parameters that an endpoint accepts: the name, with [] for any index or key, and the form its value
// must have.
type params map[string]form

// form checks a value and returns the expected form; nil accepts any text.
type form func(value string) (problem, code string)

func text(string) (problem, code string) { return "", "" }

func integer(v string) (problem, code string) {
	if _, err := strconv.ParseInt(v, 10, 64); err != nil {
		return "Invalid integer: " + v, "parameter_invalid_integer"
	}
	return "", ""
}

func boolean(v string) (problem, code string) {
	if v != "true" && v != "false" {
		return "Invalid boolean: " + v, ""
	}
	return "", ""
}

func oneOf(values ...string) form {
	return func(v string) (problem, code string) {
		for _, allowed := range values {
			if v == allowed {
				return "", ""
			}
		}
		return "Invalid value: must be one of " + strings.Join(values, ", "), ""
	}
}

var index = regexp.MustCompile(`\[[^\[\]]*\]`)

// readParams takes the query of a GET and the form body of a POST, and refuses what Stripe would refuse.
func readParams(c *core.Call, allowed params) *core.Answer {
	values := c.Query
	if c.Method == http.MethodPost {
		if t := c.Header.Get("Content-Type"); t != "" && !strings.HasPrefix(t, "application/x-www-form-urlencoded") {
			return refuse(invalid(http.StatusBadRequest, "", "", "Requests must be form-encoded, not %s.", t))
		}
		var err error
		if values, err = url.ParseQuery(string(c.Body)); err != nil {
			return refuse(invalid(http.StatusBadRequest, "", "", "The request body could not be read."))
		}
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names) // the same bad request always gets the same answer
	for _, name := range names {
		if a := checkParam(name, values[name], allowed); a != nil {
			return a
		}
	}
	c.Input = values
	return nil
}

func checkParam(name string, values []string, allowed params) *core.Answer {
	check, known := allowed[index.ReplaceAllString(name, "[]")]
	var a core.Answer
	switch {
	case !known:
		a = invalid(http.StatusBadRequest, "parameter_unknown", name, "Received unknown parameter: %s", name)
	case len(values) > 1:
		a = invalid(http.StatusBadRequest, "", name, "Parameter sent more than once: %s", name)
	case values[0] == "":
		a = invalid(http.StatusBadRequest, "parameter_invalid_empty", name, "You passed an empty string for '%s'.", name)
	default:
		problem, code := check(values[0])
		if problem == "" {
			return nil
		}
		a = invalid(http.StatusBadRequest, code, name, "%s", problem)
	}
	return &a
}

// metadata collects metadata[key]=value.
func metadata(v url.Values) map[string]string {
	m := map[string]string{}
	for name := range v {
		if key, found := strings.CutPrefix(name, "metadata["); found {
			m[strings.TrimSuffix(key, "]")] = v.Get(name)
		}
	}
	return m
}

func number(v url.Values, name string) int64 {
	n, _ := strconv.ParseInt(v.Get(name), 10, 64) // its form was checked on the way in
	return n
}
