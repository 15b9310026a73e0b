package alarm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// secret is a password that may be sent, and must never be reported.
const secret = "geheim-4711"

// receiver answers posts in turn: a status, or an error if that is 0; then 204.
type receiver struct {
	mu      sync.Mutex
	answers []int
	got     []string // bodies, with the seconds since the beginning before them
	began   time.Time
}

func (r *receiver) RoundTrip(q *http.Request) (*http.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return nil, err
	}
	r.got = append(r.got, fmt.Sprintf("%v %s", time.Since(r.began), body))
	status := 204
	if len(r.answers) > 0 {
		status, r.answers = r.answers[0], r.answers[1:]
	}
	if status == 0 {
		return nil, errors.New("no route")
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Location": {"http://127.0.0.1:1/"}}, Body: http.NoBody,
		Request: q}, nil
}

// hooked is a webhook in a test, with what it reports.
type hooked struct {
	*Webhook
	*receiver
	reports []string
	stop    func()
}

// hook starts a webhook whose receiver gives these answers. It belongs in a bubble.
func hook(t *testing.T, answers ...int) *hooked {
	t.Helper()
	h := &hooked{receiver: &receiver{answers: answers, began: time.Now()}}
	u, err := ParseURL("https://user:" + secret + "@hooks.example.com/" + secret + "?token=" + secret)
	if err != nil {
		t.Fatal(err)
	}
	h.Webhook = NewWebhook(WebhookConfig{URL: u, Transport: h.receiver, Run: "run", Say: sentence.Sentence.String,
		Report: func(level slog.Level, text, why string) { h.reports = append(h.reports, text+": "+why) }})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { h.Run(ctx) })
	h.stop = func() { cancel(); running.Wait() }
	return h
}

// send queues new troubles with these numbers.
func (h *hooked) send(numbers ...int64) {
	for _, n := range numbers {
		h.Send("c", []locks.Change{{Path: "/a", Turn: &locks.Turn{}},
			{Path: "/a", Number: n, Alert: &locks.Alert{Sentence: sentence.Of("trouble.held")}}}, time.Now())
	}
}

// TestDelivers checks what is sent when, what is counted and what is reported, for each way of answering.
func TestDelivers(t *testing.T) {
	for name, c := range map[string]struct {
		answers []int
		tries   string // their times
		stats   WebhookStats
		reports string
	}{
		"taken":   {nil, "0s 0s", WebhookStats{Sent: 2}, ""},
		"created": {[]int{201, 200}, "0s 0s", WebhookStats{Sent: 2}, ""},
		"late": {[]int{0, 503, 429, 200}, "0s 1s 3s 7s 7s", WebhookStats{Sent: 2, Failures: 3},
			"the webhook doesn't take a trouble; trying again: hooks.example.com: no route; " +
				"the webhook takes troubles again: 0 were dropped"},
		"refused": {[]int{404}, "0s 0s", WebhookStats{Sent: 1, Dropped: 1, Failures: 1},
			"the webhook refuses a trouble: troubles are dropped from now on: hooks.example.com: it answers 404; " +
				"the webhook takes troubles again: 1 were dropped"},
		"redirected": {[]int{307}, "0s 0s", WebhookStats{Sent: 1, Dropped: 1, Failures: 1},
			"the webhook refuses a trouble: troubles are dropped from now on: hooks.example.com: it answers 307; " +
				"the webhook takes troubles again: 1 were dropped"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := hook(t, c.answers...)
				h.send(1, 2)
				time.Sleep(time.Minute)
				h.stop()
				var times []string
				for _, got := range h.got {
					at, _, _ := strings.Cut(got, " ")
					times = append(times, at)
				}
				if got := strings.Join(times, " "); got != c.tries || h.Stats() != c.stats {
					t.Errorf("it tries at %s, not %s: %+v", got, c.tries, h.Stats())
				}
				if got := strings.Join(h.reports, "; "); got != c.reports {
					t.Errorf("it reports\n%s\nnot\n%s", got, c.reports)
				}
			})
		})
	}
}

// TestGivesUp has a receiver that is away for hours: each message is tried for an hour, pauses end at a minute, the
// queue is bounded, and drops are counted and reported once.
func TestGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hook(t, make([]int, 10_000)...)
		for n := range int64(maxQueued + 11) { // one of them is being sent
			h.send(n + 1)
			synctest.Wait()
		}
		if st := h.Stats(); st.Dropped != 10 || st.Queued != maxQueued {
			t.Errorf("with a full queue it is %+v", st)
		}
		time.Sleep(giveUpAfter + time.Minute)
		h.send(2000)
		time.Sleep(10 * time.Minute)
		h.mu.Lock()
		if n := len(h.got); n < 70 || n > 80 {
			t.Errorf("it has tried %d times in 71 minutes", n)
		}
		h.answers = nil
		h.mu.Unlock()
		time.Sleep(time.Minute)
		h.send(2001)
		synctest.Wait()
		h.stop()
		if st := h.Stats(); st.Sent != 2 || st.Dropped != maxQueued+11 || st.Queued != 0 || len(h.reports) != 3 {
			t.Errorf("in the end it is %+v, and has reported %q", st, h.reports)
		}
		for _, said := range h.reports {
			if strings.Contains(said, secret) || strings.Contains(said, "user") {
				t.Errorf("it reports %s", said)
			}
		}
	})
}

// TestStops stops a webhook whose receiver is away.
func TestStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hook(t, make([]int, 100)...)
		h.send(1, 2, 3)
		time.Sleep(10 * time.Second)
		h.stop()
		if st := h.Stats(); st.Dropped != 3 || !strings.HasSuffix(strings.Join(h.reports, "; "),
			"; stopping before the webhook has all troubles: 3 wait") {
			t.Errorf("%+v, %q", st, h.reports)
		}
	})
}

// TestOverHTTP posts a trouble and its end to a real server, with names that are hostile to terminals, pages and JSON.
func TestOverHTTP(t *testing.T) {
	const path = "/a/\x1b[2J\"},{<script>\u202e\n"
	var bodies []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed") }))
	defer elsewhere.Close()
	got := make(chan struct{}, 2)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		user, password, ok := r.BasicAuth()
		if err != nil || r.Method != "POST" || r.Header.Get("Content-Type") != "application/json" || !ok || user != "user" ||
			password != secret || r.URL.Query().Get("token") != "1" {
			t.Errorf("it gets %s %s %v, %v", r.Method, r.URL, r.Header, err)
		}
		if bodies = append(bodies, string(body)); len(bodies) == 2 {
			http.Redirect(w, r, elsewhere.URL, http.StatusPermanentRedirect)
		}
		got <- struct{}{}
	}))
	defer srv.Close()
	u, err := ParseURL(strings.Replace(srv.URL, "://", "://user:"+secret+"@", 1) + "/hook?token=1")
	if err != nil {
		t.Fatal(err)
	}
	w := NewWebhook(WebhookConfig{URL: u, Run: "run", Report: func(slog.Level, string, string) {},
		Say: func(sentence.Sentence) string { return `Held for "1 s".` }})
	alert := &locks.Alert{Sentence: sentence.Of("trouble.held.usual")}
	holds := locks.Holder{Client: locks.Client{Addr: "10.0.3.21:37091"}}
	holds.Session, holds.Data = 0x1a, "report\x1b-1"
	w.Send("zk1:2181/app", []locks.Change{{Path: path, Alert: alert, Number: 7, TimeMS: 1500,
		Holding: []locks.Holder{holds, {}}},
		{Path: path, Alert: alert, Number: 7, TimeMS: 2500, Ended: true}}, time.Now())
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { w.Run(ctx) })
	<-got
	<-got
	for w.Stats().Sent+w.Stats().Dropped < 2 {
		time.Sleep(time.Millisecond)
	}
	stop()
	running.Wait()
	for i, want := range []message{
		{Time: "1970-01-01T00:00:01.500Z", State: "new", Holders: []holder{
			{"0x1a", "10.0.3.21:37091", `report\u001b-1`}, {}}}, {Time: "1970-01-01T00:00:02.500Z", State: "ended"},
	} {
		want.ID, want.Cluster, want.Path, want.Kind, want.Text = "run-f3b59de1-7", "zk1:2181/app", path, "held", `Held for "1 s".`
		var m message
		if err := json.Unmarshal([]byte(bodies[i]), &m); err != nil || m.ID[:4] != "run-" || m.State != want.State {
			t.Fatalf("%v: %s", err, bodies[i])
		}
		if want.ID = m.ID; !reflect.DeepEqual(m, want) || strings.Count(bodies[i], "\n") != 1 ||
			!strings.HasSuffix(bodies[i], "}\n") ||
			strings.ContainsAny(bodies[i], "\x1b<") || !strings.HasSuffix(m.ID, "-7") {
			t.Errorf("it gets %s", bodies[i])
		}
	}
}

// TestIDs checks that troubles with the same number have different IDs at different clusters, in different runs, and of
// servers and locks.
func TestIDs(t *testing.T) {
	a, b := NewWebhook(WebhookConfig{}), NewWebhook(WebhookConfig{})
	seen := map[string]bool{}
	for _, w := range []*Webhook{a, b} {
		for _, cluster := range []string{"", "a", "b"} {
			seen[w.id(cluster, "", 1)], seen[w.id(cluster, "s", 1)] = true, true
		}
	}
	if len(seen) != 12 {
		t.Errorf("the IDs are %v", seen)
	}
}

// TestParseURL refuses what is no address, without repeating it.
func TestParseURL(t *testing.T) {
	for text, ok := range map[string]bool{
		"http://a": true, "https://user:password@a.example:8443/b?c=d": true, "": false, "a": false, "//a/b": false,
		"ftp://a": false, "file:///etc/" + secret: false, "http://": false, "http://:80/" + secret: false,
		"http://a/#" + secret: false, "http://a\n" + secret: false, "javascript:" + secret: false,
	} {
		u, err := ParseURL(text)
		if (err == nil) != ok || err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v, %v", text, u, err)
		}
	}
	var u *url.URL
	if u, _ = ParseURL("https://a/"); u.Host != "a" {
		t.Error(u)
	}
}
