package webtest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/engine/event/hub"
)

// BeginClass begins a class at a page and returns its name and secret.
func BeginClass(tb testing.TB, srv *httptest.Server, at string) (name, secret string) {
	tb.Helper()
	form := url.Values{"page": {at}}.Encode()
	r, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, srv.URL+"/class/begin", strings.NewReader(form))
	if err != nil {
		tb.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", srv.URL)
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	to := resp.Header.Get("Location")
	name, secret, ok := strings.Cut(strings.TrimPrefix(to, "/class/"), "#teach=")
	if resp.StatusCode != http.StatusSeeOther || !ok {
		tb.Fatalf("no class begins: %s, to %q", resp.Status, to)
	}
	return name, secret
}

// View is any view of a class, or what else its pages are told.
type View struct {
	Say, Do, Why, Name, Page, Step, Query, Dots, Task, Is, Believes, Client string

	Learners, Here, Calls, Number, Done, Behind, Before int
	Teacher, Ended, Apart, Elsewhere, Again             bool
	Choice                                              *int
	Question                                            *struct {
		Number, Answers, Right int
		Open, Revealed         bool
		Counts                 []int
	}
	Lock  *struct{ Path, Way string }
	Names map[int]string
	Rows  []struct{ Who, Count int }
}

// Pupil is a page of a class from the server's point of view. It reads all the time, as browsers do.
type Pupil struct {
	Conn *websocket.Conn

	tb   testing.TB
	bell hub.Bell
	mu   sync.Mutex
	read []View
	err  error // the connection's end
}

// DialClass connects to a class with a client's address, nil for any.
func DialClass(tb testing.TB, srv *httptest.Server, client *http.Client, class string) (*websocket.Conn, error) {
	tb.Helper()
	conn, _, err := websocket.Dial(tb.Context(), srv.URL+"/class/"+class+"/ws", &websocket.DialOptions{
		HTTPClient: client, HTTPHeader: http.Header{"Origin": {srv.URL}},
	})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(1 << 20)
	tb.Cleanup(func() { _ = conn.CloseNow() })
	return conn, nil
}

// Visit is DialClass for a Pupil.
func Visit(tb testing.TB, srv *httptest.Server, client *http.Client, class string) (*Pupil, error) {
	tb.Helper()
	conn, err := DialClass(tb, srv, client, class)
	if err != nil {
		return nil, err
	}
	p := &Pupil{Conn: conn, tb: tb}
	var reading sync.WaitGroup
	reading.Go(p.reads)
	tb.Cleanup(func() { _ = conn.CloseNow(); reading.Wait() })
	return p, nil
}

// reads keeps what comes until the connection ends.
func (p *Pupil) reads() {
	for err := error(nil); err == nil; p.bell.Ring() {
		var v View
		var text []byte
		if _, text, err = p.Conn.Read(context.Background()); err == nil {
			err = json.Unmarshal(text, &v)
		}
		p.mu.Lock()
		if p.err = err; err == nil {
			p.read = append(p.read, v)
		}
		p.mu.Unlock()
	}
}

// Enter connects to a class and says something first.
func Enter(tb testing.TB, srv *httptest.Server, class, first string) *Pupil {
	tb.Helper()
	p, err := Visit(tb, srv, http.DefaultClient, class)
	if err != nil {
		tb.Fatal(err)
	}
	p.Send(first)
	return p
}

// Send sends a message.
func (p *Pupil) Send(text string) {
	p.tb.Helper()
	if err := p.Conn.Write(context.Background(), websocket.MessageText, []byte(text)); err != nil {
		p.tb.Fatal(err)
	}
}

// Next returns the next message, or an error at the end.
func (p *Pupil) Next() (v View, err error) {
	for {
		more := p.bell.Next()
		p.mu.Lock()
		if len(p.read) > 0 {
			v, p.read = p.read[0], p.read[1:]
			p.mu.Unlock()
			return v, nil
		}
		err = p.err
		p.mu.Unlock()
		if err != nil {
			return v, err
		}
		<-more
	}
}

// Until reads messages until one satisfies ok.
func (p *Pupil) Until(ok func(View) bool) View {
	p.tb.Helper()
	for {
		v, err := p.Next()
		if err != nil {
			p.tb.Fatal(err)
		}
		if ok(v) {
			return v
		}
	}
}
