package listen

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/cmd/perennial/cli"
	"perennial/internal/config"
	"perennial/webhooks"
)

// options are the flags of listen.
type options struct {
	forwardTo string
	events    string
	shape     string
	after     string
	state     string
	fromNow   bool
	asJSON    bool
	interval  time.Duration
}

// Command needs no address that the API could reach, unlike a webhook endpoint: a developer's machine has none.
// Its guarantees are a webhook's: each event at least once, in order.
func Command() *cli.Command {
	return &cli.Command{
		Name: "listen", Summary: "follow an environment's events and forward them to a local receiver",
		About: "It reads events with PERENNIAL_API_KEY from PERENNIAL_API_URL, prints them, and forwards them in their\n" +
			"order, signed with a secret of its own as a webhook endpoint's deliveries are. The API needs no way to reach\n" +
			"this machine.\n\n" +
			"The first run begins with the next event. Every later run continues after the last event that the receiver\n" +
			"answered, so nothing is lost while it is stopped; an event that was being sent when it ended is sent again.\n" +
			"While the receiver is not reachable, events wait for it. A receiver's answer is final, whatever its status.\n\n" +
			"Ctrl-C ends it with exit code 0. Exit code 1: the API refused the key or the position to continue at, or the\n" +
			"position could not be saved.",
		Examples: []string{
			"PERENNIAL_API_KEY=sk_test_… perennial listen --forward-to http://localhost:3000/webhooks",
			"perennial listen --events 'payment.*' --json",
			"perennial listen --forward-to http://localhost:3000/webhooks --after evt_01jcz6dyqx4w9s1c2k7v5h8m3n",
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			var o options
			f.StringVar(&o.forwardTo, "forward-to", "", "the receiver's `url`; without it events are printed only")
			f.StringVar(&o.events, "events", "*", "forward these `types` only, such as payment.*,invoice.paid")
			f.StringVar(&o.shape, "shape", string(event.ShapeA), "the form of payloads, `A|B`")
			f.StringVar(&o.after, "after", "", "begin after this `event`")
			f.BoolVar(&o.fromNow, "from-now", false, "begin with the next event, whatever the last run left")
			f.BoolVar(&o.asJSON, "json", false, "print payloads, one a line, instead of summaries")
			f.DurationVar(&o.interval, "interval", time.Second, "how often to ask for events, a `duration`")
			f.StringVar(&o.state, "state", "", "the `file` that keeps the position and the secret, if not the usual one")
			return func(ctx context.Context, p *cli.Process, _ []string) error { return run(ctx, p, o) }
		},
	}
}

// patterns choose what to forward, by the rule by which the events of a webhook endpoint are chosen.
func (o options) patterns() []string { return strings.Split(o.events, ",") }

// check validates the options before any request or write. Each refusal names the flag and its valid values.
func (o options) check() error {
	for _, pattern := range o.patterns() {
		if err := event.Pattern(pattern).Check(); err != nil {
			return cli.Usagef("--events: %s", cli.Describe(err))
		}
	}
	if !slices.Contains(event.Shapes(), event.Shape(o.shape)) {
		return cli.Usagef("--shape is A or B, not %q", o.shape)
	}
	if o.after != "" && o.fromNow {
		return cli.Usagef("give --after or --from-now, not both")
	}
	if o.interval < 10*time.Millisecond {
		return cli.Usagef("--interval is at least 10ms")
	}
	if o.forwardTo != "" {
		if err := webhooks.CheckURL(o.forwardTo, false, anywhere); err != nil {
			return cli.Usagef("--forward-to: %s", cli.Describe(err))
		}
	}
	return nil
}

func run(ctx context.Context, p *cli.Process, o options) error {
	if err := o.check(); err != nil {
		return err
	}
	c, err := p.Config(config.Listen)
	if err != nil {
		return err
	}
	file := o.state
	if file == "" {
		if file, err = stateFile(p, c.Client, o.forwardTo); err != nil {
			return err
		}
	}
	state, known, err := loadState(file)
	if err != nil {
		return err
	}
	follower := feed{base: c.Client.APIURL, key: c.Client.APIKey.Reveal()}
	switch {
	case o.after != "":
		state.Cursor = o.after
	// A first run begins with the next event: sending a year of history to a local receiver is hardly wanted.
	case !known || o.fromNow:
		if state.Cursor, err = patiently(ctx, p, o.interval, follower.newest); err != nil {
			return endOf(ctx, err)
		}
	}
	// Before the first event: a run that ends at once must know next time where it began.
	if err := state.save(); err != nil {
		return err
	}
	forward := newForwarder(p, o, state.Secret)
	defer forward.sender.Close()
	introduce(p, o, c.Client, state)
	err = follow(ctx, p, o, follower, state, forward)
	if ctx.Err() != nil {
		_, _ = fmt.Fprintf(p.Stderr, "listen: stopped; run it again to continue%s\n", after(state.Cursor)) // a courtesy
	}
	return endOf(ctx, err)
}

// endOf removes an error that only says that the user pressed Ctrl-C: a script that stops the command must not see a
// failure.
func endOf(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

func introduce(p *cli.Process, o options, client config.ClientSettings, state *kept) {
	_, _ = fmt.Fprintf(p.Stderr, "listen: following %s%s\n", client.APIURL, after(state.Cursor)) // a courtesy
	if o.forwardTo != "" {
		_, _ = fmt.Fprintf(p.Stderr, "listen: forwarding to %s\nlisten: signing secret %s\n", o.forwardTo, state.Secret)
	}
	_, _ = fmt.Fprintf(p.Stderr, "listen: the position is kept in %s\n", state.path)
}

func after(cursor string) string {
	if cursor == "" {
		return " from its first event"
	}
	return " after " + cursor
}

// follow handles the events after the state's cursor, oldest first, until ctx ends. The cursor moves past an event
// only when it was handled.
func follow(
	ctx context.Context, p *cli.Process, o options, follower feed, state *kept, forward *forwarder,
) error {
	for {
		page, err := patiently(ctx, p, o.interval, func(ctx context.Context) (eventPage, error) {
			return follower.after(ctx, state.Cursor)
		})
		if err != nil {
			return err
		}
		for _, e := range page.events {
			if !delivery.Wants(o.patterns(), event.Type(e.Type)) {
				// The cursor is not saved for each skipped event: after a crash, these are skipped again.
				state.Cursor = e.ID
				continue
			}
			if err := forward.event(ctx, e); err != nil {
				return err
			}
			state.Cursor = e.ID
			if err := state.save(); err != nil {
				return err
			}
		}
		if err := state.save(); err != nil {
			return err
		}
		if !page.more {
			if err := cli.Pause(ctx, o.interval); err != nil {
				return err
			}
		}
	}
}
