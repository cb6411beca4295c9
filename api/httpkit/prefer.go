package httpkit

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/db"
)

// maxWait bounds Prefer: wait; connections that idle longer die in proxies.
const maxWait = 30 * time.Second

// wait is the time for which a caller will wait for a final state (RFC 7240); zero: not at all.
type wait time.Duration

// parsePrefer reads wait=N. Other preferences are ignored, as the RFC asks;
// so is a well-formed wait where nothing is waited for.
func parsePrefer(header http.Header, waits bool) (wait, error) {
	if len(header["Prefer"]) == 0 {
		return 0, nil
	}
	for _, preference := range strings.Split(strings.Join(header.Values("Prefer"), ","), ",") {
		preference, _, _ = strings.Cut(preference, ";")
		name, value, _ := strings.Cut(strings.TrimSpace(preference), "=")
		if !strings.EqualFold(strings.TrimSpace(name), "wait") {
			continue
		}
		seconds, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 31)
		if err != nil {
			return 0, fault.InvalidParam("Prefer", "header_malformed",
				"The Prefer header is malformed. Send a whole number of seconds, as in `Prefer: wait=10`.")
		}
		if !waits {
			return 0, nil
		}
		return wait(min(time.Duration(seconds)*time.Second, maxWait)), nil
	}
	return 0, nil
}

// applied is the value of Preference-Applied.
func (w wait) applied() string {
	if w == 0 {
		return ""
	}
	return "wait=" + strconv.Itoa(int(time.Duration(w)/time.Second))
}

// Await reads the resource, and reads it again at each event that may have changed it, until it is final, the caller's
// patience is over or this process is about to end, and responds with its present state. Neither the end of the wait
// nor a failed read is an error of the request, which was performed. The stored answer for repeats stays the one that
// was committed with the effect.
func Await[T any](
	ctx context.Context, k *Kit, c *Call, out *Reply[T], what db.Awaited,
	look func(context.Context) (v T, final bool, err error),
) *Reply[T] {
	if c.wait == 0 {
		return out
	}
	out.Applied = c.wait.applied()
	c.seat.Leave() // others are worked for meanwhile
	// not the answer's time, the caller's
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Duration(c.wait))
	defer cancel()
	defer context.AfterFunc(c.caller, cancel)()
	defer context.AfterFunc(k.serving, cancel)()
	for {
		if v, final, err := look(ctx); err == nil {
			out.Body.raw = encode(v)
			if final {
				return out
			}
		}
		if k.store.Await(ctx, what) == nil {
			continue
		}
		if c.caller.Err() == nil { // what changed since the last event is shown, too
			late, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
			defer cancel()
			if v, _, err := look(late); err == nil {
				out.Body.raw = encode(v)
			}
		}
		return out
	}
}

// lastLook bounds the read of the state in which a wait ends.
const lastLook = 2 * time.Second

// AwaitAnyway is Await for as long as there is patience at all where the caller does not ask to wait.
func AwaitAnyway[T any](
	ctx context.Context, k *Kit, c *Call, out *Reply[T], what db.Awaited,
	look func(context.Context) (v T, final bool, err error),
) *Reply[T] {
	if c.wait > 0 {
		return Await(ctx, k, c, out, what, look)
	}
	c.wait = wait(maxWait)
	out = Await(ctx, k, c, out, what, look)
	out.Applied = ""
	return out
}
