package web

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/classes"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/socket"
	"github.com/zkviz/zkviz/engine/run/room"
)

// classroom serves a class in memory.
type classroom struct {
	t            *testing.T
	pages        *classes.Pages
	pipes        *pipes
	name, secret string
}

// inClassroom runs a test in a bubble with a class.
func inClassroom(t *testing.T, test func(*classroom)) {
	t.Helper()
	on, err := site.New(site.Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		c := &classroom{t: t, pages: classes.New(classes.Config{Site: on, Stop: t.Context()})}
		mux := http.NewServeMux()
		for path, answer := range c.pages.Routes() {
			on.Handle(mux, path, answer)
		}
		var srv *http.Server
		c.pipes, srv = serveInMemory(mux)
		form := url.Values{"page": {"/lab"}}.Encode()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/class/begin",
			strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		resp, err := c.transport(nil).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		c.name, c.secret, _ = strings.Cut(strings.TrimPrefix(resp.Header.Get("Location"), "/class/"), "#teach=")
		test(c)
		_ = srv.Close()
		c.pages.Close()
	})
}

// transport returns a transport whose connections dialled gets, if it isn't nil.
func (c *classroom) transport(dialled func(net.Conn)) *http.Transport {
	return &http.Transport{DisableKeepAlives: dialled == nil,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			conn := c.pipes.dial()
			if dialled != nil {
				dialled(conn)
			}
			return conn, nil
		}}
}

// enter connects a page that says something.
func (c *classroom) enter(first string) (conn *websocket.Conn, raw net.Conn) {
	c.t.Helper()
	conn, _, err := websocket.Dial(c.t.Context(), "ws://localhost/class/"+c.name+"/ws", &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: c.transport(func(conn net.Conn) { raw = conn })}})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = conn.CloseNow() })
	c.say(conn, first)
	return conn, raw
}

func (c *classroom) say(conn *websocket.Conn, text string) {
	c.t.Helper()
	if err := conn.Write(c.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

const joins = `{"do":"join","key":"0123456789abcdef","follows":true}`

// TestPaceOfAClass has a teacher lead twenty times a second for ten seconds: a page gets at most ten places a second,
// and the last one.
func TestPaceOfAClass(t *testing.T) {
	inClassroom(t, func(c *classroom) {
		teacher, _ := c.enter(fmt.Sprintf(`{"do":"hello","secret":%q}`, c.secret))
		go drain(c.t.Context(), teacher)
		learner, _ := c.enter(joins)
		places, last := 0, ""
		go func() {
			for {
				_, text, err := learner.Read(c.t.Context())
				if err != nil {
					return
				}
				var v struct{ Say, Query string }
				if json.Unmarshal(text, &v); v.Say == "place" {
					places, last = places+1, v.Query
				}
			}
		}()
		const moves = 200
		for i := range moves {
			time.Sleep(50 * time.Millisecond)
			c.say(teacher, fmt.Sprintf(`{"do":"lead","place":{"page":"/lab","query":"at=%d"}}`, i+1))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if places > 105 || places < 90 || last != fmt.Sprintf("at=%d", moves) {
			t.Errorf("in ten seconds a page gets %d places, at last %s", places, last)
		}
		_ = learner.CloseNow()
		_ = teacher.CloseNow()
		synctest.Wait()
	})
}

// TestSilenceOfAClass checks that a page hears something all the time while nothing happens, so that it can tell a
// server that stands still.
func TestSilenceOfAClass(t *testing.T) {
	inClassroom(t, func(c *classroom) {
		learner, _ := c.enter(joins)
		last, longest := time.Now(), time.Duration(0)
		go func() {
			for {
				if _, _, err := learner.Read(c.t.Context()); err != nil {
					return
				}
				longest, last = max(longest, time.Since(last)), time.Now()
			}
		}()
		time.Sleep(time.Hour)
		synctest.Wait()
		if longest = max(longest, time.Since(last)); longest > 5*time.Second {
			t.Errorf("a page hears nothing for %v", longest)
		}
		_ = learner.CloseNow()
		synctest.Wait()
	})
}

func drain(ctx context.Context, conn *websocket.Conn) {
	for {
		if _, _, err := conn.Read(ctx); err != nil {
			return
		}
	}
}

// TestPatienceWithAClass checks that a page which reads nothing, or answers no ping, is cut off in time, and that the
// class knows.
func TestPatienceWithAClass(t *testing.T) {
	for name, want := range map[string]time.Duration{
		"reads nothing": socket.Patience, "answers no ping": room.PingEvery + socket.Patience,
	} {
		t.Run(name, func(t *testing.T) {
			inClassroom(t, func(c *classroom) {
				begin := time.Now()
				conn, raw := c.enter(joins)
				if name == "answers no ping" {
					go func() { // the raw bytes, so that nobody answers
						buf := make([]byte, 1<<10)
						for {
							if _, err := raw.Read(buf); err != nil {
								return
							}
						}
					}()
				}
				for synctest.Wait(); c.pages.Stats().Sockets > 0; synctest.Wait() {
					time.Sleep(100 * time.Millisecond)
				}
				if took := time.Since(begin); took < want || took > want+time.Second {
					t.Errorf("the page is cut off after %v, want %v", took, want)
				}
				if n := c.pages.Stats().Pages; n != 0 {
					t.Errorf("the class has %d pages", n)
				}
				_ = conn.CloseNow()
				_ = raw.Close()
				synctest.Wait()
			})
		})
	}
}
