package db

import "errors"

// ActorKind says what kind of party writes.
type ActorKind string

// The kinds of actors.
const (
	ActorKey      ActorKind = "key"      // an app, by its API key
	ActorOperator ActorKind = "operator" // a person who signed in
	ActorWorkflow ActorKind = "workflow" // a workflow, by its activity
	ActorCLI      ActorKind = "cli"      // a person at a terminal with access to the database
	ActorSystem   ActorKind = "system"   // Perennial itself: reconciler, dispatcher, retention
)

// Actor is who writes. Only the functions below make one, so that every transaction says whose it is.
type Actor struct {
	kind ActorKind
	id   string
}

// ByKey is the holder of an API key.
func ByKey(keyID string) Actor { return Actor{ActorKey, keyID} }

// ByOperator is a person who signed in.
func ByOperator(operatorID string) Actor { return Actor{ActorOperator, operatorID} }

// ByWorkflow is a workflow.
func ByWorkflow(workflowID string) Actor { return Actor{ActorWorkflow, workflowID} }

// ByCLI is a person at a terminal, by the name that the machine knows.
func ByCLI(user string) Actor { return Actor{ActorCLI, user} }

// BySystem is a part of Perennial that acts on its own.
func BySystem(part string) Actor { return Actor{ActorSystem, part} }

// Kind is what kind of party it is.
func (a Actor) Kind() ActorKind { return a.kind }

// ID is which one of its kind.
func (a Actor) ID() string { return a.id }

// String is for logs and histories: "key key_…".
func (a Actor) String() string { return string(a.kind) + " " + a.id }

var errNobody = errors.New("db: a transaction without an actor; take one from db.ByKey, db.ByWorkflow and so on")
