package guide

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// roundTrip lets h answer req as a server at the other end of a connection would, without a
// connection: what the handler writes is what the body gives, as it is written.
//
// The handler runs on a goroutine of its own, which ends when the handler is done, when the
// request's context ends or when the response's body is closed.
func roundTrip(h http.Handler, req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	if err := ctx.Err(); err != nil {
		cancel()
		return nil, err
	}
	out, in := io.Pipe()
	w := &pipedResponse{header: http.Header{}, body: in, ready: make(chan struct{})}
	hangUp := context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		defer cancel()
		err := serve(h, w, req.Clone(ctx))
		hangUp()
		if err == nil {
			err = ctx.Err() // a handler that ended because of the cancel has not said all
		}
		w.finish(err)
	}()
	select {
	case <-w.ready:
	case <-ctx.Done():
		// A handler that is done ends the context too, and then its answer is there.
		select {
		case <-w.ready:
		default:
			return nil, ctx.Err()
		}
	}
	if w.err != nil {
		return nil, w.err
	}
	return &http.Response{
		Status:        strconv.Itoa(w.status) + " " + http.StatusText(w.status),
		StatusCode:    w.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        w.sent,
		ContentLength: -1,
		Body:          pipedBody{out, cancel},
		Request:       req,
	}, nil
}

// serve runs the handler. A handler that aborts breaks the connection, as in net/http; any other
// panic becomes an error of the round trip, since there is no server to log it.
func serve(h http.Handler, w http.ResponseWriter, req *http.Request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the guide failed: %v", p)
			if e, ok := p.(error); ok && errors.Is(e, http.ErrAbortHandler) {
				err = io.ErrUnexpectedEOF
			}
		}
	}()
	if req.Body == nil {
		req.Body = http.NoBody
	}
	defer req.Body.Close()
	h.ServeHTTP(w, req)
	return nil
}

// pipedResponse is the handler's end of a round trip.
type pipedResponse struct {
	header http.Header
	body   *io.PipeWriter
	ready  chan struct{} // closed when status, or err, is known

	status int
	sent   http.Header // header as of the first write
	err    error       // the handler failed before it wrote anything
}

func (w *pipedResponse) Header() http.Header { return w.header }

func (w *pipedResponse) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	w.status, w.sent = status, w.header.Clone()
	close(w.ready)
}

func (w *pipedResponse) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// Flush does nothing: a pipe holds nothing back.
func (w *pipedResponse) Flush() {}

func (w *pipedResponse) finish(err error) {
	if w.status == 0 && err != nil {
		w.err = err
		close(w.ready)
		return
	}
	w.WriteHeader(http.StatusOK)
	w.body.CloseWithError(err)
}

// pipedBody is the client's end of a round trip. Closing it ends the handler.
type pipedBody struct {
	*io.PipeReader
	hangUp context.CancelFunc
}

func (b pipedBody) Close() error {
	b.hangUp()
	return b.PipeReader.Close()
}
