package serve

import "context"

// usageMerger merges usage into its aggregates: usage.Service.
type usageMerger interface {
	RollUpRecorded(ctx context.Context) (int, error)
	RollUpUsage(ctx context.Context) (int, error)
	AskReached(ctx context.Context) (int, error)
}

// rollUpUsage merges usage until ctx ends. It runs outside Temporal, as ingestion does. Readers add the records that
// are not merged yet, so that this only bounds how many they add. It also asks for the rest while nothing is recorded,
// since a new version of a metric counts earlier records, and after a failure, since a metric that cannot be merged
// must not delay the others.
func (s *Server) rollUpUsage(ctx context.Context, use usageMerger) {
	s.keepUp(ctx, use.RollUpRecorded, use.RollUpUsage,
		"usage could not be merged into its aggregates; readers count its records meanwhile")
}

// askReached checks what merged usage has reached, until ctx ends. It runs apart from merging, which does not wait for
// it.
func (s *Server) askReached(ctx context.Context, use usageMerger) {
	none := func(context.Context) (int, error) { return 0, nil }
	s.keepUp(ctx, use.AskReached, none, "what some usage has reached could not be told; it is asked again")
}
