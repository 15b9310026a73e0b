package attacks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
)

// httpPatience is how long an attacker waits for one answer.
const httpPatience = 30 * time.Second

// browsers are one client for HTTP from each address.
func browsers(from []client.From) (all []*http.Client, done func()) {
	for _, f := range from {
		all = append(all, f.HTTP(httpPatience))
	}
	return all, func() {
		for _, b := range all {
			b.CloseIdleConnections()
		}
	}
}

// get asks for a page and drops what comes. It says how that came out: the status, or that there was no answer. A
// refusal where there is no room must be 503 or 429 and say when to try again; anything else is reported.
func (w *World) get(ctx context.Context, browser *http.Client, url string, header http.Header) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "impossible"
	}
	if header != nil {
		req.Header = header
	}
	resp, err := browser.Do(req)
	if err != nil {
		return "without an answer"
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return "broken off"
	}
	busy := client.Busy(resp.StatusCode)
	switch {
	case busy && resp.Header.Get("Retry-After") == "":
		return busyWithoutHint
	case resp.StatusCode >= 500 && !busy:
		return "failed with " + resp.Status
	}
	return "answered " + resp.Status
}

const busyWithoutHint = "refused without Retry-After"

// hints reports refusals that do not say when to try again.
func (w *World) hints(t *tally) {
	if n := t.get(busyWithoutHint); n > 0 {
		w.broken("%d refusals did not say when to try again", n)
	}
}

// page is a page that an attacker has open, and drains only if it is told to.
type page struct{ c *websocket.Conn }

// open opens the websocket of a page.
func (w *World) open(ctx context.Context, from client.From, t *tally) (*page, bool) {
	c, err := from.Socket(ctx, w.Pages)
	var refusal *client.Refusal
	switch {
	case err == nil:
		return &page{c}, true
	case over(ctx, err):
		t.add("too late")
	case !errors.As(err, &refusal):
		t.add("not connected")
	case client.Busy(refusal.Status) && !refusal.Hint:
		t.add(busyWithoutHint)
	default:
		t.add(fmt.Sprintf("refused with %d", refusal.Status))
	}
	return nil, false
}

// send sends a message, and reports whether the connection took it.
func (p *page) send(ctx context.Context, format string, args ...any) bool {
	return p.c.Write(ctx, websocket.MessageText, fmt.Appendf(nil, format, args...)) == nil
}

// drain reads until ctx or the connection ends, and returns how often the server refused something.
func (p *page) drain(ctx context.Context) (refused int) {
	for {
		kind, b, err := p.c.Read(ctx)
		if err != nil {
			return refused
		}
		if kind == websocket.MessageText && strings.HasPrefix(string(b), `{"say":"error"`) {
			refused++
		}
	}
}

// leave drops the connection.
func (p *page) leave() { _ = p.c.CloseNow() } // as a page does that is closed
