package web_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/webtest"
	"github.com/zkviz/zkviz/engine/event"
)

const openUnique = `{"do":"open","query":"recipe=unique-lock&clients=4&seed=3"}`

func TestOpenRecipe(t *testing.T) {
	c := webtest.Dial(t, webtest.Serve(t, web.Config{}))
	c.Send(openUnique)
	run := c.Next()
	if run.Say != "run" || run.Header.Host != "sim" || run.Header.Recipe != "unique-lock" || run.Header.Clients != 4 ||
		len(run.Branches) != 1 {
		t.Fatalf("the first message is %+v", run)
	}
	b := run.Branches[0]
	if b.Parent != -1 || b.From != 1 || !b.Ended {
		t.Errorf("branch 0 is %+v", b)
	}
	log := c.Full(b)
	if log[0].Kind != event.RunStarted || log[len(log)-1].Kind != event.RunEnded {
		t.Errorf("the log goes from %v to %v", log[0].Kind, log[len(log)-1].Kind)
	}
	lines := 0
	for _, e := range log {
		if e.Line > 0 {
			lines++
		}
	}
	if lines == 0 {
		t.Error("no event says in which line of the recipe it is")
	}
}

func TestOpenLesson(t *testing.T) {
	book, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	c := webtest.Dial(t, webtest.Serve(t, web.Config{}))
	for _, l := range book.Lessons {
		c.Send(`{"do":"open","lesson":"` + l.Slug + `","host":"sim"}`)
		run := c.Until(webtest.OfKind("run"))
		positions := book.RunOf(l.Slug).Positions
		if len(run.Steps) != len(positions) {
			t.Fatalf("%s: %d steps, want %d", l.Slug, len(run.Steps), len(positions))
		}
		told := positions[0]
		for i, p := range positions {
			if l.Steps[i].Again == "" { // a step that looks back has nothing new
				told = p
			}
			s := run.Steps[i]
			if s.Anchor != p.Anchor || s.Seq != told.Seq || s.AtMS != float64(told.At)/1e6 {
				t.Errorf("%s: step %d is %+v, want %+v", l.Slug, i, s, told)
			}
		}
		if got, want := len(c.Full(run.Branches[0])), len(book.RunOf(l.Slug).Log.Events); got != want {
			t.Errorf("%s: %d events, want %d", l.Slug, got, want)
		}
	}
}

func TestFaultMakesABranch(t *testing.T) {
	c := webtest.Dial(t, webtest.Serve(t, web.Config{}))
	c.Send(openUnique)
	run := c.Next()
	first := append([]event.Event(nil), c.Full(run.Branches[0])...)
	c.Send(`{"do":"fault","branch":0,"fault":"crash client-2 at 2s"}`)
	b := c.Until(webtest.OfKind("branch")).Row
	if b.ID != 1 || b.Parent != 0 || b.AtMS != 2000 || b.Fault != "crash client-2 at 2s" || !b.Ended {
		t.Fatalf("the branch is %+v", b)
	}
	log := c.Full(b)
	if log[0].At < 2*time.Second || reflect.DeepEqual(log[0], first[b.From-1]) {
		t.Errorf("the branch begins at %v with what happened before, too", log[0].At)
	}
	c.Send(`{"do":"fault","branch":1,"fault":"pause client-1 at 3s for 20s"}`)
	if b := c.Until(webtest.OfKind("branch")).Row; b.ID != 2 || b.Parent != 1 {
		t.Fatalf("the second branch is %+v", b)
	}
	if len(c.Logs[0]) != len(first) {
		t.Error("the first branch changed")
	}
}

func TestResumeAfterACut(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	c := webtest.Dial(t, srv)
	c.Send(openUnique)
	run := c.Next()
	whole := append([]event.Event(nil), c.Full(run.Branches[0])...)
	c.Send(`{"do":"fault","branch":0,"fault":"crash client-2 at 2s"}`)
	b := c.Until(webtest.OfKind("branch")).Row
	_ = c.Conn.CloseNow()

	again := webtest.Dial(t, srv)
	half := len(whole) / 2
	again.Send(fmt.Sprintf(`{"do":"resume","run":"%s","from":{"0":%d}}`, run.Run, half+1))
	back := again.Next()
	if back.Say != "run" || back.Run != run.Run || len(back.Branches) != 2 {
		t.Fatalf("resumed as %+v", back)
	}
	again.Full(webtest.Row{ID: b.ID, From: b.From, Events: b.Events})
	for len(again.Logs[0]) < len(whole)-half {
		again.Next()
	}
	if !reflect.DeepEqual(again.Logs[0], whole[half:]) {
		t.Error("what came after the cut is not the rest of the log")
	}

	again.Send(`{"do":"resume","run":"r999-gone","from":{"0":1}}`)
	if e := again.Until(webtest.OfKind("error")); e.Do != "resume" || !strings.Contains(e.Text, "no longer kept") {
		t.Errorf("a run that is not kept: %+v", e)
	}
}

func TestRefusalsLeaveTheConnectionUsable(t *testing.T) {
	c := webtest.Dial(t, webtest.Serve(t, web.Config{}))
	for _, m := range []struct{ send, do, text string }{
		{`{"do":`, "", "wasn't understood"},
		{`{"do":"open","query":"recipe=unique-lock","extra":1}`, "open", "unknown field"},
		{`{"do":"open","query":"recipe=unqiue-lock"}`, "open", "unique-lock"},
		{`{"do":"open","query":"recipe=<script>alert(1)</script>"}`, "open", "there is no recipe"},
		{`{"do":"open","query":"recipe=unique-lock&clients=1000000000"}`, "open", "1000 clients"},
		{`{"do":"open","query":"recipe=unique-lock&clients=-1"}`, "open", "not -1"},
		{`{"do":"open","query":"recipe=unique-lock&rounds=1000000000"}`, "open", "rounds"},
		{`{"do":"open","lesson":"99-none"}`, "open", "no lesson"},
		{`{"do":"open","lesson":"../../etc/passwd"}`, "open", "no lesson"},
		{`{"do":"open","query":"recipe=unique-lock","host":"live"}`, "open", "without a ZooKeeper"},
		{`{"do":"observe","path":"/a"}`, "observe", "without a ZooKeeper"},
		{`{"do":"fault","branch":0,"fault":"crash client-1 at 1s"}`, "fault", "no run yet"},
		{`{"do":"resume","run":"r1"}`, "resume", "no longer kept"},
	} {
		c.Send(m.send)
		e := c.Until(webtest.OfKind("error"))
		if e.Do != m.do || !strings.Contains(e.Text, m.text) {
			t.Errorf("%s: %+v, want an error with %q", m.send, e, m.text)
		}
	}
	if err := c.Conn.Write(t.Context(), websocket.MessageBinary, []byte{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	if e := c.Until(webtest.OfKind("error")); !strings.Contains(e.Text, "binary") {
		t.Errorf("a binary frame: %+v", e)
	}
	c.Send(openUnique)
	run := c.Until(webtest.OfKind("run"))
	for _, m := range []struct{ send, text string }{
		{`{"do":"fault","branch":7,"fault":"crash client-1 at 1s"}`, "no branch 7"},
		{`{"do":"fault","branch":-1,"fault":"crash client-1 at 1s"}`, "no branch -1"},
		{`{"do":"fault","branch":0,"fault":"crash client-99 at 1s"}`, "client-99"},
		{`{"do":"fault","branch":0,"fault":"crash client-1 at 23h"}`, "the run ended"},
	} {
		c.Send(m.send)
		if e := c.Until(webtest.OfKind("error")); !strings.Contains(e.Text, m.text) {
			t.Errorf("%s: %+v, want an error with %q", m.send, e, m.text)
		}
	}
	c.Full(run.Branches[0])
}

// upgrade opens a websocket by hand, for frames that no library would send.
func upgrade(t *testing.T, srv *httptest.Server) net.Conn {
	t.Helper()
	host := strings.TrimPrefix(srv.URL, "http://")
	c, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(10 * time.Minute)) // a failure shows when reading
	_, err = fmt.Fprintf(c, "GET /ws HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", host, srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	status := make([]byte, len("HTTP/1.1 101"))
	if _, err := io.ReadFull(c, status); err != nil || string(status) != "HTTP/1.1 101" {
		t.Fatalf("the websocket is not opened: %s, %v", status, err)
	}
	return c
}

// frame returns a masked frame whose announced length may be wrong.
func frame(first byte, announced uint64, payload string) string {
	head := binary.BigEndian.AppendUint64([]byte{first, 0x80 | 127}, announced)
	return string(head) + "\x00\x00\x00\x00" + payload
}

func TestRudenessEndsTheConnection(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	t.Run("a message of 5 kB", func(t *testing.T) {
		c := webtest.Dial(t, srv)
		c.Send(`{"do":"open","lesson":"` + strings.Repeat("x", 5000) + `"}`)
		if code, reason := c.Closed(); code != websocket.StatusMessageTooBig {
			t.Errorf("closed with %v %q", code, reason)
		}
	})
	t.Run("a flood", func(t *testing.T) {
		c := webtest.Dial(t, srv)
		go func() {
			for c.Conn.Write(t.Context(), websocket.MessageText, []byte(`{"do":"fault","fault":"crash client-1 at 1s"}`)) == nil {
			}
		}()
		if code, reason := c.Closed(); code != websocket.StatusPolicyViolation {
			t.Errorf("closed with %v %q", code, reason)
		}
	})
	for name, f := range map[string]struct{ first, again string }{
		"a huge frame":          {frame(0x81, 1<<62, ""), strings.Repeat(" ", 1<<12)},
		"a frame of 8 MB":       {frame(0x81, 8<<20, ""), strings.Repeat(" ", 1<<12)},
		"fragments without end": {frame(0x01, 1, "{"), frame(0x00, 1, " ")},
		"a frame without mask":  {"\x81\x02{}", ""},
		"a reserved opcode":     {frame(0xff, 2, "{}"), ""},
		"a reserved bit":        {frame(0xc1, 2, "{}"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := upgrade(t, srv)
			_, err := io.WriteString(c, f.first)
			for err == nil && f.again != "" {
				_, err = io.WriteString(c, f.again)
			}
			if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the connection stays open")
			}
		})
	}
	t.Run("a foreign origin", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		_, resp,
			err := websocket.Dial(ctx, srv.URL+"/ws",
			&websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"http://evil.example"}}})
		if err == nil || resp == nil || resp.StatusCode != http.StatusForbidden {
			t.Errorf("a foreign page got %v, %v", resp, err)
		}
	})
	t.Run("no websocket", func(t *testing.T) {
		resp, err := http.Get(srv.URL + "/ws")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUpgradeRequired {
			t.Errorf("status %d", resp.StatusCode)
		}
	})
}

// TestSlowReader opens a long run, reads nothing for a while, and still gets every event. Meanwhile another page is
// served.
func TestSlowReader(t *testing.T) {
	srv := webtest.Serve(t, web.Config{})
	slow := webtest.Dial(t, srv)
	slow.Send(`{"do":"open","query":"recipe=predecessor-lock&clients=100&rounds=3"}`)
	run := slow.Next()
	if run.Branches[0].Events < 20_000 {
		t.Fatalf("the run has %d events only", run.Branches[0].Events)
	}
	quick := webtest.Dial(t, srv)
	quick.Send(openUnique)
	quick.Full(quick.Next().Branches[0])
	slow.Full(run.Branches[0])
}

func TestStoppingSaysGoodbye(t *testing.T) {
	book, err := webtest.Book()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	url := make(chan string, 1)
	done := make(chan error, 1)
	go func() {
		done <- web.Serve(ctx, web.Config{Book: book, Listening: func(u string) { url <- u }})
	}()
	conn, _, err := websocket.Dial(ctx, <-url+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	stop()
	_, _, err = conn.Read(t.Context())
	if websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("the connection ends with %v", err)
	}
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Minute):
		t.Error("the server does not stop")
	}
}
