package api

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
	streamValues  = usage.MaxProperties + 9
	// streamPause is how long the next lines may take to arrive, and an answer to be read.
	streamPause = 30 * time.Second
)

// UsageProgress is one line of the answer to a stream.
type UsageProgress struct {
	Line     int         `json:"line" example:"1000" doc:"A line of the request, from 1. Of a progress line: all lines up to it are decided and stored, so that an interrupted stream goes on behind it."`
	Error    *UsageError `json:"error,omitempty" doc:"Why the record of this line was refused. With stopped: why the stream ended early."`
	Stopped  bool        `json:"stopped,omitempty" doc:"true: the stream ended early, and lines behind this one were not read. Send them again."`
	Done     bool        `json:"done,omitempty" doc:"true: all lines are decided. The last line of an answer."`
	Accepted int         `json:"accepted" example:"998" doc:"How many were recorded by this request so far."`
	Repeated int         `json:"repeated" example:"1" doc:"How many had been recorded before."`
	Refused  int         `json:"refused" example:"1" doc:"How many were refused so far."`
}

// usageStream is one request that brings records line by line.
type usageStream struct {
	server  *Server
	call    *httpkit.Call
	lines   *bufio.Reader
	out     http.ResponseWriter
	control *http.ResponseController

	total UsageProgress
	read  []usageReport
	at    []int // the lines of what was read
	began bool
}

func (s *Server) streamUsage(ctx context.Context, c *httpkit.Call, w http.ResponseWriter, r *http.Request) error {
	stream := &usageStream{
		server: s, call: c, lines: bufio.NewReaderSize(r.Body, maxStreamLine), out: w,
		control: http.NewResponseController(w),
	}
	// The answer begins before the request ends. Without full duplex net/http would read the rest of the request first.
	if err := stream.control.EnableFullDuplex(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	err := stream.run(ctx)
	if err == nil || !stream.began {
		return err
	}
	// The status is sent: the last line says what went wrong, and the log.
	httpkit.LogRefusal(ctx, err)
	stream.total.Stopped, stream.total.Error = true, usageError(err)
	return stream.say(stream.total)
}

// run reads until the end, and decides records in parts.
func (u *usageStream) run(ctx context.Context) error {
	for line := 1; ; line++ {
		_ = u.control.SetReadDeadline(u.server.now().Add(streamPause)) // where it is not supported, the server's holds
		text, err := u.lines.ReadSlice('\n')
		ended := errors.Is(err, io.EOF)
		if errors.Is(err, bufio.ErrBufferFull) {
			err = fault.New(fault.Invalid, "body_too_large", "A line is too long. Send at most %d bytes in one.", maxStreamLine)
		}
		if err != nil && !ended {
			return u.stop(ctx, err)
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			if err := u.take(line, text); err != nil {
				return err
			}
		}
		if len(u.read) == usage.MaxBatch || ended {
			if err := u.decide(ctx, line); err != nil {
				return err
			}
		}
		if ended {
			u.total.Line, u.total.Done = line, true
			if len(text) == 0 {
				u.total.Line--
			}
			return u.say(u.total)
		}
	}
}

// stop decides what was read before a failure.
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

// take reads one record. What is no record is refused, and the stream goes on.
func (u *usageStream) take(line int, text []byte) error {
	form, err := httpkit.ReadJSON[UsageForm](u.server.shapes, text, streamValues)
	var record usage.Record
	if err == nil {
		record, err = form.record()
	}
	if err != nil {
		u.total.Refused++
		return u.refuse(line, usageError(err))
	}
	u.read, u.at = append(u.read, usageReport{form: form, record: record}), append(u.at, line)
	return nil
}

// refuse says why the record of a line was not taken, beside the counts so far.
func (u *usageStream) refuse(line int, why *UsageError) error {
	said := u.total
	said.Line, said.Error = line, why
	return u.say(said)
}

// decide records what was read up to a line, and says so.
func (u *usageStream) decide(ctx context.Context, line int) error {
	if len(u.read) > 0 {
		batch, err := u.server.recordAll(ctx, u.call, u.read)
		if err != nil {
			return err
		}
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
	_ = u.control.SetWriteDeadline(u.server.now().Add(streamPause)) // where it is not supported, the server's holds
	if err := httpkit.WriteLine(u.out, line); err != nil {
		return err
	}
	return u.control.Flush()
}

func (s *Server) usageStreamOperation(form UsageForm) {
	httpkit.RegisterRaw(s.kit, httpkit.Operation{
		Name: "streamUsage", Method: http.MethodPost, Path: "/usage/stream", Tag: "Usage",
		Summary: "Record usage in a stream",
		Description: "For back-fills of any length: one record a line (NDJSON). The answer has a line for each refused " +
			"record, a progress line after every 1,000 records, and a last one with done. After an interruption send the " +
			"lines behind the last progress line, or all: what was recorded is not counted twice.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Request: form,
		Response: UsageProgress{Line: 1000, Accepted: 998, Repeated: 1, Refused: 1},
	}, httpkit.RawBody{
		Takes: []string{ndjsonType, "application/jsonl", httpkit.JSONType}, Answers: ndjsonType, Endless: true,
	}, s.streamUsage)
}
