package listen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"perennial/cmd/perennial/cli"
)

// feed reads events as any app does: through the public API. It has only the rights of its key, and sees what a webhook
// endpoint of the environment would receive.
type feed struct {
	base string
	key  string
}

// feedEvent is as much of an event as a payload needs.
type feedEvent struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Created  int64           `json:"created"`
	Sequence int64           `json:"sequence,omitempty"`
	Data     json.RawMessage `json:"data"`
}

// eventPage is some events, oldest first, and whether newer ones are waiting.
type eventPage struct {
	events []feedEvent
	more   bool
}

// apiRefusal is an answer that a repeat would get again.
type apiRefusal struct{ text string }

func (e apiRefusal) Error() string { return e.text }

// newest returns the id of the newest event; empty: there is none.
func (f feed) newest(ctx context.Context) (string, error) {
	events, _, err := f.list(ctx, url.Values{"limit": {"1"}})
	if err != nil || len(events) == 0 {
		return "", err
	}
	return events[0].ID, nil
}

// after returns the events that follow the cursor. An empty cursor means the first event; the API has no cursor that
// says so, so the pages are collected back to it.
func (f feed) after(ctx context.Context, cursor string) (eventPage, error) {
	query := url.Values{"limit": {"100"}}
	if cursor != "" {
		query.Set("endingBefore", cursor)
		events, more, err := f.list(ctx, query)
		slices.Reverse(events)
		return eventPage{events, more}, err
	}
	var all []feedEvent
	for {
		events, more, err := f.list(ctx, query)
		if err != nil {
			return eventPage{}, err
		}
		all = append(all, events...)
		if !more {
			slices.Reverse(all)
			return eventPage{events: all}, nil
		}
		query.Set("startingAfter", all[len(all)-1].ID)
	}
}

// list returns one page as the API has it, newest first.
func (f feed) list(ctx context.Context, query url.Values) (events []feedEvent, more bool, err error) {
	// Beyond the API's own bound of 10 s, so that what ends a request is a lost connection.
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.base+"/api/events?"+query.Encode(), nil)
	if err != nil {
		return nil, false, apiRefusal{err.Error()}
	}
	request.Header.Set("Authorization", "Bearer "+f.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = response.Body.Close() }() // read to its end or given up
	if response.StatusCode != http.StatusOK {
		return nil, false, refusalOf(response)
	}
	var list struct {
		Data    []feedEvent `json:"data"`
		HasMore bool        `json:"hasMore"`
	}
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		return nil, false, fmt.Errorf("the answer of %s cannot be read: %w", f.base, err)
	}
	return list.Data, list.HasMore, nil
}

// refusalOf distinguishes an answer that stays the same from one that passes, such as 429 and 503.
func refusalOf(response *http.Response) error {
	var problem struct {
		Code   string `json:"code"`
		Detail string `json:"detail"`
	}
	raw, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10)) // only to say more
	_ = json.Unmarshal(raw, &problem)                           // a proxy may have answered
	text := fmt.Sprintf("the API answers %d: %s [%s]", response.StatusCode, problem.Detail, problem.Code)
	if problem.Code == "" {
		text = fmt.Sprintf("the API answers %d; is PERENNIAL_API_URL right?", response.StatusCode)
	}
	if problem.Code == "cursor_unknown" {
		text += " Continue with --from-now, or after another event with --after."
	}
	if response.StatusCode >= 500 || response.StatusCode == http.StatusTooManyRequests {
		return errors.New(text)
	}
	return apiRefusal{text}
}

// patiently repeats what failed until it succeeds, is refused, or ctx ends, and says once why it waits.
func patiently[T any](
	ctx context.Context, p *cli.Process, every time.Duration, do func(context.Context) (T, error),
) (T, error) {
	for told := false; ; told = true {
		result, err := do(ctx)
		var refusal apiRefusal
		switch {
		case err == nil || errors.As(err, &refusal):
			return result, err
		case ctx.Err() != nil:
			return result, ctx.Err()
		case !told:
			_, _ = fmt.Fprintf(p.Stderr, "listen: waiting for the API: %v\n", err) // a courtesy
		}
		if err := cli.Pause(ctx, max(every, time.Second)); err != nil {
			return result, err
		}
	}
}
