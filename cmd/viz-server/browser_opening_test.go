package main

import (
	"context"
	"net/url"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	pausing "github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Limits of a lesson's page: what comes before text, picture and Next are there, and the longest chain of requests
// after the page's own, of which each needs the answer of the one before.
const (
	mostBeforeNext      = 5
	mostBytesBeforeNext = 60_000
	longestChain        = 3
	longestToProgram    = 2
)

// compiled notes which responses are compiled, and whether they are the network's own.
const compiled = `(() => {
	window.compiled = [];
	const compile = WebAssembly.compileStreaming;
	WebAssembly.compileStreaming = async (from) => {
		const response = await from;
		window.compiled.push(response.type + " " + response.url);
		return compile(response);
	};
})()`

// opensAtOnce opens a lesson as somebody who was never there. The program is held back until Next has been pressed.
// Then it opens the lesson again: nothing comes from the network but what may have changed.
func opensAtOnce(t *testing.T, b *browser) {
	profile := launch(t) // with an empty cache
	v := newVisit(t, profile, b.url)
	v.open("/lessons/the-herd")
	v.until("text, picture, and Next, while the program is held back", func() bool {
		return v.says("!!(window.opening.text && window.opening.picture && window.opening.next)") == "true" && v.held() != ""
	})
	n, bytes := v.named("the-herd")
	if n > mostBeforeNext || bytes > mostBytesBeforeNext {
		t.Errorf("the page brings %d bytes and names %d files, more than %d and %d", bytes, n, mostBytesBeforeNext,
			mostBeforeNext)
	}
	v.release()
	v.wait("stage", "ready")
	want := "basic " + b.url + "/static/built/stage."
	if said := v.says("window.compiled.join()"); !strings.HasPrefix(said, want) {
		t.Errorf("what is compiled is %q, and not the response to %s…", said, want)
	}
	for name, r := range v.requests() {
		if n := v.depth(name); n > longestChain || strings.HasSuffix(name, ".wasm") && n > longestToProgram {
			t.Errorf("%s comes at the end of a chain of %d: %+v", name, n, r)
		}
	}

	again := newVisit(t, profile, b.url)
	again.open("/lessons/the-herd")
	again.until("the program to be asked for", func() bool { return again.held() != "" })
	again.release()
	again.wait("stage", "ready")
	for name, r := range again.requests() {
		if r.bytes > 0 && r.static {
			t.Errorf("on the second visit %s brings %d bytes", name, r.bytes)
		}
		if r.status != 0 && r.status != 304 && r.status != 101 {
			t.Errorf("on the second visit %s is answered with %d", name, r.status)
		}
	}
}

// visitOfALesson is a visitor whose requests are noted, and to whom the program comes when the test says so.
type visitOfALesson struct {
	*visitor
	mu  sync.Mutex
	all map[string]*request // by the last part of their address
	id  pausing.RequestID   // of the program's request, while it is held back
}

// request is what one request brought.
type request struct {
	id     network.RequestID
	by     string // the document or script that asked for it
	static bool   // below /static
	status int64
	bytes  int64 // from the network
}

func newVisit(t *testing.T, profile context.Context, at string) *visitOfALesson {
	t.Helper()
	ctx, leave := chromedp.NewContext(profile) // all visits share one cache
	t.Cleanup(leave)
	v := &visitOfALesson{visitor: &visitor{t: t, ctx: ctx, url: at}, all: map[string]*request{}}
	if err := chromedp.Listen(ctx, v.note); err != nil {
		t.Fatal(err)
	}
	v.do(command(page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: openingScript + compiled}),
		command(network.Enable, network.EnableParams{}),
		command(pausing.Enable, pausing.EnableParams{Patterns: []*pausing.RequestPattern{{URLPattern: "*.wasm"}}}))
	v.resize(desktop)
	return v
}

// nameOf returns the last part of an address's path.
func nameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return path.Base(u.Path)
}

// note notes an event of the network.
func (v *visitOfALesson) note(event any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		by := e.Initiator.URL
		if s := e.Initiator.Stack; s != nil && len(s.CallFrames) > 0 {
			by = s.CallFrames[0].URL
		}
		v.all[nameOf(e.Request.URL)] = &request{id: e.RequestID, by: nameOf(by),
			static: strings.Contains(e.Request.URL, "/static/")}
	case *network.EventResponseReceivedExtraInfo: // what the network says, not the cache
		if r := v.byID(e.RequestID); r != nil {
			r.status = e.StatusCode
		}
	case *network.EventDataReceived:
		if r := v.byID(e.RequestID); r != nil {
			r.bytes += e.EncodedDataLength
		}
	case *pausing.EventRequestPaused:
		v.id = e.RequestID
	}
}

func (v *visitOfALesson) byID(id network.RequestID) *request {
	for _, r := range v.all {
		if r.id == id {
			return r
		}
	}
	return nil
}

// named returns how many files a document names, and the bytes that it and they brought.
func (v *visitOfALesson) named(document string) (n int, bytes int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.all {
		if r.by == document {
			n, bytes = n+1, bytes+r.bytes
		}
	}
	return n, bytes + v.all[document].bytes
}

// requests returns all requests until now.
func (v *visitOfALesson) requests() map[string]request {
	v.mu.Lock()
	defer v.mu.Unlock()
	all := map[string]request{}
	for name, r := range v.all {
		all[name] = *r
	}
	return all
}

// depth returns how many requests lead to a name after the page's own.
func (v *visitOfALesson) depth(name string) int {
	v.mu.Lock()
	r := v.all[name]
	v.mu.Unlock()
	if r == nil || r.by == name {
		return -1 // nobody knows who asked
	}
	return 1 + v.depth(r.by)
}

// held returns the program's request if it is held back.
func (v *visitOfALesson) held() pausing.RequestID {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.id
}

// release lets the program come.
func (v *visitOfALesson) release() {
	v.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, pausing.ContinueRequest, pausing.ContinueRequestParams{RequestID: v.held()})
		return err
	}))
}
