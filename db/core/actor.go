package core

import "errors"

// ActorKind is the kind of a writer.
type ActorKind string

// The kinds of actors.
const (
	ActorKey      ActorKind = "key"      // an app, by its API key
	ActorOperator ActorKind = "operator" // a person who signed in
	ActorWorkflow ActorKind = "workflow" // a workflow, by its activity
	ActorCLI      ActorKind = "cli"      // a person at a terminal with access to the database
	ActorSystem   ActorKind = "system"   // Perennial itself: reconciler, dispatcher, retention
)

// Actor is the author of a write. Only the functions below make one, so that every transaction says whose it is.
type Actor struct {
	kind ActorKind
	id   string
	call *Call // the action of a key, an operator or a terminal: see Doing
}

// ByKey is the holder of an API key.
func ByKey(keyID string) Actor { return Actor{kind: ActorKey, id: keyID} }

// ByOperator is a person who signed in.
func ByOperator(operatorID string) Actor { return Actor{kind: ActorOperator, id: operatorID} }

// ByWorkflow is a workflow.
func ByWorkflow(workflowID string) Actor { return Actor{kind: ActorWorkflow, id: workflowID} }

// ByCLI is a person at a terminal, by the name that the machine knows.
func ByCLI(user string) Actor { return Actor{kind: ActorCLI, id: user} }

// BySystem is a part of Perennial that acts on its own.
func BySystem(part string) Actor { return Actor{kind: ActorSystem, id: part} }

// Doing returns the actor in one call. The audit log has an entry about each transaction of a key, an operator or a
// terminal, so that these cannot write without.
func (a Actor) Doing(c Call) Actor {
	a.call = &c
	return a
}

// audited reports whether the audit log has an entry about the actor's transactions. Perennial's automatic work follows
// from such calls, from time and from providers, and events announce it.
func (a Actor) audited() bool {
	return a.kind == ActorKey || a.kind == ActorOperator || a.kind == ActorCLI
}

// Kind returns the kind of party.
func (a Actor) Kind() ActorKind { return a.kind }

// ID returns the actor's id within its kind.
func (a Actor) ID() string { return a.id }

// String is for logs and histories: "key key_…".
func (a Actor) String() string { return string(a.kind) + " " + a.id }

var errNobody = errors.New("db: a transaction without an actor; take one from db.ByKey, db.ByWorkflow and so on")
