package listen

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"perennial/billing/event"
	"perennial/cmd/perennial/cli"
	"perennial/webhooks"
)

// anywhere lets a developer forward to any machine, also without TLS: here, no stranger chooses the URL.
var anywhere = webhooks.Allow{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

// forwarder prints events and forwards them.
type forwarder struct {
	p       *cli.Process
	options options
	secret  string
	sender  *webhooks.Sender
}

func newForwarder(p *cli.Process, o options, secret string) *forwarder {
	sender := webhooks.NewSender(webhooks.Options{Now: p.Now, Allow: anywhere})
	return &forwarder{p: p, options: o, secret: secret, sender: sender}
}

// event handles one event: it returns once it was printed and, where there is a receiver, answered by it.
func (f *forwarder) event(ctx context.Context, e feedEvent) error {
	body, err := webhooks.Body(event.Shape(f.options.shape), webhooks.Message{
		ID: e.ID, Type: event.Type(e.Type), Timestamp: e.Created, Sequence: e.Sequence, Data: e.Data,
	})
	if err != nil {
		return err
	}
	if f.options.forwardTo == "" {
		return f.print(e, body, "")
	}
	for told := false; ; told = true {
		result, err := f.attempt(ctx, e, body)
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil && result.Failure == webhooks.FailedCanceled:
			return ctx.Err()
		// A refusal counts as an answer, as the help says: to repeat it would hold every later event back.
		case !unanswered(result):
			return f.print(e, body, " -> "+outcomeOf(result))
		case !told:
			_, _ = fmt.Fprintf(f.p.Stderr, "listen: %s waits for the receiver: %s\n", e.ID, result.Detail) // a courtesy
		}
		if err := cli.Pause(ctx, f.options.interval); err != nil {
			return err
		}
	}
}

// Signed anew each time: receivers refuse old timestamps, and an event may wait for hours.
func (f *forwarder) attempt(ctx context.Context, e feedEvent, body []byte) (webhooks.Result, error) {
	header, err := webhooks.Sign(e.ID, f.p.Now(), body, f.secret)
	if err != nil {
		return webhooks.Result{}, err
	}
	return f.sender.Send(ctx, webhooks.Request{URL: f.options.forwardTo, Header: header, Body: body}), nil
}

// unanswered reports whether the receiver is away or went away: it has not decided about the event.
func unanswered(r webhooks.Result) bool {
	switch r.Failure {
	case webhooks.FailedDNS, webhooks.FailedConnect, webhooks.FailedTLS, webhooks.FailedReset, webhooks.FailedCanceled:
		return true
	default:
		return false
	}
}

func outcomeOf(r webhooks.Result) string {
	if r.Delivered() {
		return fmt.Sprintf("200 in %s", r.Latency.Round(time.Millisecond))
	}
	return r.Detail
}

func (f *forwarder) print(e feedEvent, body []byte, outcome string) error {
	if f.options.asJSON {
		_, err := fmt.Fprintf(f.p.Stdout, "%s\n", body)
		return err
	}
	_, err := fmt.Fprintf(f.p.Stdout, "%s  %-28s %s%s\n", f.p.Now().Format(time.TimeOnly), e.Type, e.ID, outcome)
	return err
}
