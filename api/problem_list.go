package api

import (
	_ "embed" // the list of problems
	"encoding/json"

	"perennial/api/httpkit"
)

// problemsJSON is written by TestProblems_AreListed, from every place of the source that makes a fault.
//
//go:embed problems.json
var problemsJSON []byte

// problems lists all that a request can be refused with.
func problems() []httpkit.Listed {
	var list []httpkit.Listed
	if err := json.Unmarshal(problemsJSON, &list); err != nil {
		panic("api: the list of problems is malformed: " + err.Error()) // it is generated
	}
	return list
}
