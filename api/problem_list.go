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

// problems lists all possible refusals of requests.
func problems() []httpkit.Listed {
	var list []httpkit.Listed
	if err := json.Unmarshal(problemsJSON, &list); err != nil {
		panic("api: the list of problems is malformed: " + err.Error()) // it is generated
	}
	return list
}

// refusalsJSON is written by TestRefusals_AreListedByOperation, from what each operation's handler can call.
//
//go:embed refusals.json
var refusalsJSON []byte

// refusals lists the codes of 409 and 422 by operation, in addition to those that any operation has.
func refusals() map[string][]string {
	var list map[string][]string
	if err := json.Unmarshal(refusalsJSON, &list); err != nil {
		panic("api: the list of refusals is malformed: " + err.Error()) // it is generated
	}
	return list
}
