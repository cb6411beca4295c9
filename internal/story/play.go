package story

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Config has the servers of the story and its output.
type Config struct {
	API       string // base URL
	Key       string // of a test environment
	Simulator string // base URL of the provider simulator behind that environment
	Out       io.Writer
	Colour    bool
	// Patience is the time in which the result of a step must be visible; 0: 30 s.
	Patience time.Duration
	Now      func() time.Time // the real clock
	// Verify checks a delivery's signature: verify.Verify of webhooks, which plumbing does not import.
	Verify func(header http.Header, body []byte, secrets []string, now time.Time) error

	rest func(context.Context, time.Duration) error // waits; tests do not
}

// Played names the objects of the story, for the user.
type Played struct {
	CustomerID     string
	ClockID        string
	SubscriptionID string
	Steps          int
}

// Deviation is a step with another result than the wanted one.
type Deviation struct {
	Step        string
	Differences []string
}

func (d *Deviation) Error() string {
	return fmt.Sprintf("the story deviates at %q: %s", d.Step, d.Differences)
}

// step is one action and its wanted result.
type step struct {
	told string
	do   func(context.Context, *player) error
	want facts
	sent []sent // events, in their order
}

// player passes facts from one step to the next.
type player struct {
	client       *client
	simulator    string
	card         string // the provider's name of the customer
	starter, pro string // plans
	customer     string
	clock        string
	subscription string
	now          time.Time // the test clock's

	receiver *receiver
	endpoint string            // the receiver's
	names    map[string]string // of the story's objects, by id
	events   []event           // that arrived since the last step
	refused  []string          // why deliveries were not accepted, since then
}

// pause is the time between two polls. It is short, since the result of a command takes some milliseconds.
const pause = 25 * time.Millisecond

// Play plays the story to the end or to the first deviation, which is returned as a *Deviation.
func Play(ctx context.Context, c Config) (played Played, err error) {
	c = c.complete()
	p := &player{client: newClient(c), simulator: c.Simulator, now: begin, names: map[string]string{}}
	defer p.client.close()
	p.card = "cus_story_" + p.client.run
	if p.receiver, err = listen(ctx, c); err != nil {
		return played, err
	}
	defer func() {
		if left := p.unregister(ctx); err == nil { // else the next start deletes it
			err = left
		}
	}()
	if err := p.register(ctx); err != nil {
		return played, fmt.Errorf("a receiver of webhooks: %w", err)
	}
	t := &table{out: c.Out, colour: c.Colour}
	t.head()
	all := steps()
	for i, s := range all {
		if err := p.play(ctx, c, t, s); err != nil {
			return p.played(i), err
		}
	}
	if err := p.settleAccounts(ctx, t); err != nil {
		return p.played(len(all)), err
	}
	return p.played(len(all)), nil
}

func (p *player) played(steps int) Played {
	return Played{CustomerID: p.customer, ClockID: p.clock, SubscriptionID: p.subscription, Steps: steps}
}

// play performs one step and polls until it has the wanted result, or patience ends.
func (p *player) play(ctx context.Context, c Config, t *table, s step) error {
	if err := s.do(ctx, p); err != nil {
		return fmt.Errorf("%s: %w", s.told, err)
	}
	var seen facts
	var number int64
	var got []sent
	var wrong []string
	so, err := c.until(ctx, func() (_ bool, err error) {
		if seen, number, err = p.look(ctx); err != nil {
			return false, err
		}
		got = p.collect()
		wrong = append(s.want.differences(seen), unsent(s.sent, got)...)
		return len(wrong) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", s.told, err)
	}
	t.row(p.now, s.told, seen, number)
	t.sent(got)
	if !so {
		wrong = append(wrong, p.refused...)
		t.wrong(wrong)
		return &Deviation{Step: s.told, Differences: wrong}
	}
	p.events, p.refused = nil, nil
	return nil
}

// complete sets the defaults.
func (c Config) complete() Config {
	if c.Patience == 0 {
		c.Patience = 30 * time.Second
	}
	if c.rest == nil {
		c.rest = sleep
	}
	return c
}

// until looks until it is so, or patience ends, and reports which.
func (c Config) until(ctx context.Context, look func() (bool, error)) (so bool, err error) {
	deadline := c.Now().Add(c.Patience)
	for {
		if so, err := look(); so || err != nil {
			return so, err
		}
		if c.Now().After(deadline) {
			return false, nil
		}
		if err := c.rest(ctx, pause); err != nil {
			return false, err
		}
	}
}
