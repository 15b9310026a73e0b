package room

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/run/protocol"
)

// TestTooManyMessagesEndTheConnection checks the rate limit: RequestBurst at once, then RequestsPerSecond
// indefinitely, and no more.
func TestTooManyMessagesEndTheConnection(t *testing.T) {
	for name, c := range map[string]struct {
		rounds, each int
		pause        time.Duration
		closed       bool
	}{
		"a burst":                    {1, protocol.RequestBurst, 0, false},
		"one more":                   {1, protocol.RequestBurst + 1, 0, true},
		"as many as may be":          {60, protocol.RequestsPerSecond, time.Second, false},
		"a few more a second":        {60, protocol.RequestsPerSecond + 2, time.Second, true},
		"a burst after a long pause": {2, protocol.RequestBurst, time.Hour, false},
		"two after a long pause":     {2, protocol.RequestBurst + 1, time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newOneRoom(t, 1)
				p := talkIn(l, l.rs)
				defer p.over()
				for range c.rounds {
					for range c.each {
						p.send(resumeIt)
						synctest.Wait() // the worker is done: nothing waits
					}
					time.Sleep(c.pause)
				}
				select {
				case <-p.served:
					if !c.closed || p.reason != Policy || p.why != "more than 20 messages a second" {
						t.Errorf("the connection is closed: %d, %q", p.reason, p.why)
					}
				default:
					if c.closed {
						t.Error("the connection is open")
					}
				}
			})
		})
	}
}

// TestTooManyRefusalsEndTheConnection sends requests that are refused, slowly enough for the rate limit.
func TestTooManyRefusalsEndTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newOneRoom(t, 1)
		p := talkIn(l, l.rs)
		defer p.over()
		for range MaxRefusals {
			p.send(`{"do":"contend","clients":1}`)
			if r := p.refused(t); r.Do != "contend" {
				t.Fatalf("it is told %+v", r)
			}
			time.Sleep(time.Second)
		}
		p.send(`{"do":"contend","clients":1}`)
		if m := p.next(); m != nil || p.reason != Policy || p.why != "too many messages that had to be refused" {
			t.Errorf("after one more the viewer is told %+v, and why it is closed: %q", m, p.why)
		}
	})
}

// TestAsksThatWait counts the requests that wait while one takes the maximum time.
func TestAsksThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, begin := newOneRoom(t, 1), time.Now()
		p := talkIn(l, l.rs)
		defer p.over()
		p.send(openAny) // it is already being carried out
		synctest.Wait()
		for range MaxAsks {
			p.send(`{"do":"contend","clients":1}`)
			time.Sleep(time.Second / protocol.RequestsPerSecond)
		}
		p.send(`{"do":"contend","clients":2}`)
		if r := p.refused(t); r.Do != "contend" || r.AgainMS != 5000 ||
			!strings.HasPrefix(words(r.Why), "the messages before this one aren't done yet") {
			t.Errorf("one more than may wait gets %+v", r)
		}
		if r := p.refused(t); r.Do != "open" || time.Since(begin) != answerTimeout {
			t.Errorf("what takes too long ends after %s, want %s, with %+v", time.Since(begin), answerTimeout, r)
		}
		for i := range MaxAsks {
			if r := p.refused(t); r.Do != "contend" || r.AgainMS != 0 {
				t.Fatalf("message %d of those that waited: %+v", i+1, r)
			}
		}
	})
}

// TestPing checks that a ping is answered at once, and isn't taken for something that a reader has done.
func TestPing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, begin := newOneRoom(t, 1), time.Now()
		p := talkIn(l, l.rs)
		defer p.over()
		p.send(openAny) // it takes long
		p.send(`{"do":"ping"}`)
		if m, ok := p.next().(*protocol.Pong); !ok || time.Since(begin) > 0 {
			t.Errorf("after %s a ping is answered by %+v", time.Since(begin), m)
		}
		if r := p.refused(t); r.Do != "open" || time.Since(begin) != answerTimeout {
			t.Errorf("after %s the request before it gets %+v", time.Since(begin), r)
		}
	})
}

// TestMessagesCountByTheirBytes checks that waiting messages count by their bytes until they are carried out.
func TestMessagesCountByTheirBytes(t *testing.T) {
	c := visit{}
	for _, step := range []struct {
		bytes int
		want  bool
	}{{MaxAskBytes, true}, {1, false}, {0, true}} {
		if got := c.put(ask{bytes: step.bytes}); got != step.want {
			t.Errorf("%d bytes more are taken: %v", step.bytes, got)
		}
	}
	for range 2 {
		c.next(nil)
	}
	if !c.put(ask{bytes: MaxAskBytes}) || c.put(ask{bytes: 1}) {
		t.Error("what is done still counts, or nothing does any more")
	}
}
