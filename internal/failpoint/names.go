package failpoint

import "slices"

// Name is one place in the program: whose work it is, and what has just been done.
type Name string

// names lists the places in the order in which a renewal passes them. A test holds the list against the calls of Hit.
var names = []Name{
	"command.committed",           // a command's transaction is committed, and its activity has not reported it
	"change.before_commit",        // a subscription's step (a renewal, a trial's end) has written and is not committed
	"change.committed",            // that step is committed, and its activity has not reported it
	"charge.intended",             // the first send is noted in the database, and nothing is sent
	"charge.called",               // the provider has answered, and nothing is recorded
	"charge.before_record_commit", // the answer's effects are written and not committed
	"charge.recorded",             // the answer's effects are committed, and the activity has not reported them
}

// Names lists all places, for tests that visit each.
func Names() []Name { return slices.Clone(names) }
