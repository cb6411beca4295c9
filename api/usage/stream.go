package usage

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"perennial/api/httpkit"
	"perennial/billing/fault"
	"perennial/billing/usage"
)

const (
	ndjsonType    = "application/x-ndjson"
	maxStreamLine = 64 << 10
	// streamPause bounds the wait for the next lines, and for the client to read the response.
	streamPause = 30 * time.Second
	// streamWait is the time that a record waits for others before it is written.
	streamWait = 250 * time.Millisecond
)

// UsageProgress is one line of the response to a stream.
type UsageProgress struct {
	Line     int         `json:"line" example:"1000" doc:"A line of the request, from 1. Of a progress line: all lines up to it are decided and stored, so that an interrupted stream goes on behind it."`
	Error    *UsageError `json:"error,omitempty" doc:"Why the record of this line was refused. With stopped: why the stream ended early."`
	Stopped  bool        `json:"stopped,omitempty" doc:"true: the stream ended early, and lines behind this one were not read. Send them again."`
	Done     bool        `json:"done,omitempty" doc:"true: all lines are decided. The last line of an answer."`
	Accepted int         `json:"accepted" example:"998" doc:"How many were recorded by this request so far."`
	Repeated int         `json:"repeated" example:"1" doc:"How many had been recorded before."`
	Refused  int         `json:"refused" example:"1" doc:"How many were refused so far."`
}

// usageStream is one request with records line by line.
type usageStream struct {
	handler *Handler
	call    *httpkit.Call
	out     http.ResponseWriter
	control *http.ResponseController

	total UsageProgress
	read  []usageReport
	at    []int // the lines of read
	began bool
}

func (h *Handler) streamUsage(ctx context.Context, c *httpkit.Call, w http.ResponseWriter, r *http.Request) error {
	stream := &usageStream{handler: h, call: c, out: w, control: http.NewResponseController(w)}
	// The response begins before the request ends. Without full duplex net/http would first read the rest of the request.
	if err := stream.control.EnableFullDuplex(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	reading, stop := context.WithCancel(ctx)
	lines := make(chan streamLine)
	go stream.readLines(reading, r.Body, lines)
	err := stream.run(ctx, lines)
	stop()
	if err != nil {
		_ = stream.control.SetReadDeadline(time.Unix(1, 0)) // ends a read in progress, which net/http would wait for
	}
	for range lines { // until the reader has ended: the body is invalid after that
	}
	if err == nil || !stream.began {
		return err
	}
	// The status is already sent: the last line and the log have the error.
	httpkit.LogRefusal(ctx, err)
	h.logServerErrors(ctx, []error{err})
	stream.total.Stopped, stream.total.Error = true, usageError(err)
	return stream.say(stream.total)
}

// streamLine is one line. The last one has an error, io.EOF at the end of the request.
type streamLine struct {
	text []byte
	err  error
}

// readLines sends lines until one has an error or ctx ends, and closes the channel.
func (u *usageStream) readLines(ctx context.Context, body io.Reader, to chan<- streamLine) {
	defer close(to)
	lines := bufio.NewReaderSize(body, maxStreamLine)
	for ctx.Err() == nil {
		_ = u.control.SetReadDeadline(u.handler.now().Add(streamPause)) // otherwise the server's deadline applies
		text, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			err = fault.New(fault.Invalid, "body_too_large", "A line is too long. Send at most %d bytes in one.", maxStreamLine)
		}
		select {
		case to <- streamLine{bytes.Clone(bytes.TrimSpace(text)), err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// run processes lines until the end, and records them in batches: of at most 1,000, and after at most streamWait.
func (u *usageStream) run(ctx context.Context, lines <-chan streamLine) error {
	wait := time.NewTimer(streamWait)
	defer wait.Stop()
	for number := 1; ; number++ {
		line, err := u.next(ctx, lines, wait.C, number)
		if err != nil {
			return err
		}
		ended := errors.Is(line.err, io.EOF)
		if line.err != nil && !ended {
			return u.stop(ctx, line.err)
		}
		if len(line.text) > 0 {
			if err := u.take(number, line.text); err != nil {
				return err
			}
			if len(u.read) == 1 {
				wait.Reset(streamWait)
			}
		}
		last := number
		if ended && len(line.text) == 0 { // no line follows the line break of the last one
			last--
		}
		if len(u.read) == usage.MaxBatch || ended {
			if err := u.decide(ctx, last); err != nil {
				return err
			}
		}
		if ended {
			u.total.Done = true
			return u.say(u.total)
		}
	}
}

// next waits for a line, and records earlier lines after streamWait.
func (u *usageStream) next(
	ctx context.Context, lines <-chan streamLine, waited <-chan time.Time, number int,
) (streamLine, error) {
	for {
		select {
		case line, open := <-lines:
			if !open {
				return line, ctx.Err()
			}
			return line, nil
		case <-waited:
			if len(u.read) == 0 {
				continue
			}
			if err := u.decide(ctx, number-1); err != nil {
				return streamLine{}, err
			}
		}
	}
}

// stop records the lines before a failure.
func (u *usageStream) stop(ctx context.Context, cause error) error {
	if len(u.at) > 0 {
		if err := u.decide(ctx, u.at[len(u.at)-1]); err != nil {
			return err
		}
	}
	if f := fault.From(cause); f.Kind != fault.Internal {
		return f
	}
	return fault.New(fault.Invalid, "request_invalid",
		"The request body ended early. Send the request again.").Because(cause)
}

// take reads one record. An invalid record is refused, and the stream continues.
func (u *usageStream) take(line int, text []byte) error {
	report := u.handler.readUsage(text)
	if report.err != nil {
		u.total.Refused++
		return u.refuse(line, usageError(report.err))
	}
	u.read, u.at = append(u.read, report), append(u.at, line)
	return nil
}

// refuse writes the refusal of a line's record, with the counts so far.
func (u *usageStream) refuse(line int, why *UsageError) error {
	said := u.total
	said.Line, said.Error = line, why
	return u.say(said)
}

// decide records the lines up to a line, and writes the progress. The key of the stream may be revoked by now.
func (u *usageStream) decide(ctx context.Context, line int) error {
	if len(u.read) > 0 {
		if err := u.call.Readmit(ctx); err != nil {
			return err
		}
		batch, refusals, err := u.handler.recordAll(ctx, u.call, u.read)
		if err != nil {
			return err
		}
		for i, refusal := range refusals {
			if refusal != nil && fault.From(refusal).Kind == fault.Unavailable { // no line may count as decided
				return fault.New(fault.Unavailable, "usage_undecided",
					"The record of line %d was not decided. Send the lines behind the last progress line again.", u.at[i]).
					Because(refusal)
			}
		}
		u.handler.logServerErrors(ctx, refusals)
		u.total.Accepted += batch.Accepted
		u.total.Repeated += batch.Repeated
		u.total.Refused += batch.Refused
		for i, result := range batch.Data {
			if result.Error == nil {
				continue
			}
			if err := u.refuse(u.at[i], result.Error); err != nil {
				return err
			}
		}
		u.read, u.at = u.read[:0], u.at[:0]
	}
	u.total.Line = line
	return u.say(u.total)
}

func (u *usageStream) say(line UsageProgress) error {
	if !u.began {
		u.began = true
		u.out.Header().Set("Content-Type", ndjsonType)
		u.out.WriteHeader(http.StatusOK)
	}
	_ = u.control.SetWriteDeadline(u.handler.now().Add(streamPause)) // otherwise the server's deadline applies
	if err := httpkit.WriteLine(u.out, line); err != nil {
		return err
	}
	return u.control.Flush()
}

func (h *Handler) usageStreamOperation(form UsageForm) {
	httpkit.RegisterRaw(h.kit, httpkit.Operation{
		Name: "streamUsage", Method: http.MethodPost, Path: "/usage/stream", Tag: "Usage",
		Summary: "Record usage in a stream",
		Description: "For back-fills of any length: one record a line (NDJSON). The answer has a line for each refused " +
			"record, a progress line after every 1,000 records, or sooner where fewer come, and a last one with done. " +
			"The API key is checked again each time. After an interruption send the " +
			"lines behind the last progress line, or all: what was recorded is not counted twice.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Request: form,
		Response: UsageProgress{Line: 1000, Accepted: 998, Repeated: 1, Refused: 1},
	}, httpkit.RawBody{
		Takes: []string{ndjsonType, "application/jsonl", httpkit.JSONType}, Answers: ndjsonType, Endless: true,
	}, h.streamUsage)
}
