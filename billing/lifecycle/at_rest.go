package lifecycle

// LeavesAtRest reports whether a decision gives the subscription's workflow nothing to do: all that was due is done, no
// charge was or is under way, and the next date did not come nearer. Such a workflow is told, so that operators see it,
// but nothing is lost where the word does not arrive: at the date that it knows it reads the row.
func LeavesAtRest(before, after State, c Changes) bool {
	was, is := before.Subscription, after.Subscription
	if c.Unfinished || !is.FinishedAt.IsZero() || len(before.Pending) > 0 || len(after.Pending) > 0 {
		return false
	}
	return !was.NextActionAt.IsZero() && !is.NextActionAt.Before(was.NextActionAt)
}
