package attacks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/cmd/attack/internal/target"
	"github.com/zkviz/zkviz/engine/apache"
)

// foreign is an origin that is not ours.
const foreign = "http://evil.example"

// disguise is what a browser says of a request that somebody else's page makes.
type disguise struct {
	name, method, host string
	header             http.Header
}

func disguises() []disguise {
	fetch := func(site, mode, dest string, more ...string) http.Header {
		h := http.Header{"Sec-Fetch-Site": {site}, "Sec-Fetch-Mode": {mode}, "Sec-Fetch-Dest": {dest},
			"Referer": {foreign + "/"}}
		for i := 0; i < len(more); i += 2 {
			h.Set(more[i], more[i+1])
		}
		return h
	}
	form := "application/x-www-form-urlencoded"
	return []disguise{
		{"an image", "GET", "", fetch("cross-site", "no-cors", "image")},
		{"a frame", "GET", "", fetch("cross-site", "navigate", "iframe")},
		{"a link", "GET", "", fetch("cross-site", "navigate", "document", "Sec-Fetch-User", "?1")},
		{"a window", "GET", "", fetch("cross-site", "navigate", "document")},
		{"a neighbour's link", "GET", "", fetch("same-site", "navigate", "document")},
		{"a script", "GET", "", fetch("cross-site", "no-cors", "script")},
		{"fetch", "GET", "", fetch("cross-site", "cors", "empty", "Origin", foreign)},
		{"a prefetch", "GET", "", fetch("cross-site", "no-cors", "empty", "Sec-Purpose", "prefetch")},
		{"an older browser's image", "GET", "", http.Header{"Referer": {foreign + "/"}}},
		{"an older browser without a word", "GET", "", http.Header{}},
		{"a HEAD", "HEAD", "", fetch("cross-site", "no-cors", "empty")},
		{"a form", "POST", "", fetch("cross-site", "navigate", "document", "Origin", foreign, "Content-Type", form)},
		{"a form of a sandboxed frame", "POST", "", fetch("cross-site", "navigate", "document", "Origin", "null",
			"Content-Type", form)},
		{"an older browser's form", "POST", "", http.Header{"Content-Type": {form}}},
		{"an older browser's form with an origin", "POST", "", http.Header{"Content-Type": {form}, "Origin": {foreign}}},
		{"a name that was bound anew", "GET", "evil.example", fetch("same-origin", "cors", "empty")},
		{"a form under a name that was bound anew", "POST", "evil.example",
			fetch("same-origin", "cors", "empty", "Origin", foreign, "Content-Type", form)},
		{"a link by name", "GET", "evil.example:80", fetch("none", "navigate", "document")},
	}
}

// writes are addresses that might write to a cluster. The number makes each a question that was not asked before.
var writes = []string{
	"/lab/compare?recipe=predecessor-lock&clients=%d&live=1",
	"/lab/compare?recipe=children-lock&recipe=unique-lock&clients=%d&live=on",
	"/lab?recipe=predecessor-lock&clients=%d&host=live",
	"/lessons/03-the-herd?host=live&n=%d",
	"/api/figures?recipe=predecessor-lock&clients=%d&host=live&live=1",
	"/live?path=/attack-%d",
	"/ws?do=open&recipe=predecessor-lock&host=live&clients=%d",
}

// quietWithin is how long it may take until a server that has started leaves its cluster alone.
const quietWithin = 20 * time.Second

// foreignPage sends what a browser would for somebody else's page, and counts transactions.
func foreignPage(ctx context.Context, w *World) error {
	zk, err := apache.Start(apache.Config{HeapMB: 128})
	if err != nil {
		return err
	}
	defer zk.Close()
	s, err := target.Start(target.Config{Program: w.Program, MemoryMB: w.MemoryMB, Dir: w.Dir,
		Args: []string{"--addr", "127.0.0.1:0", "--zk", zk.Addr, "--zk-path", "/zkviz"}})
	if err != nil {
		return err
	}
	defer s.Kill()
	before, err := quiet(ctx, zk)
	if err != nil {
		return err
	}
	browser := client.Address(attackers, 1).HTTP(askPatience)
	defer browser.CloseIdleConnections()
	held := 0
	for i, d := range disguises() {
		text, now, err := d.play(ctx, browser, s.Pages, 2+i, zk, before)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			w.note("there was no time for %s", d.name)
			return nil
		}
		if text != "" {
			w.broken("%s of another page made transactions on the cluster: %s", d.name, text)
		} else {
			held++
		}
		before = now
	}
	w.note("%d of %d disguises made no transaction", held, len(disguises()))
	return w.seesWrites(ctx, s, zk, before)
}

// play sends all that might write, until something does. It says what did, and how many transactions there were.
func (d disguise) play(ctx context.Context, browser *http.Client, pages string, clients int, zk *apache.Server,
	before int64) (text string, now int64, err error) {
	for _, where := range writes {
		where = fmt.Sprintf(where, clients)
		status, err := ask(ctx, browser, d, pages+where)
		if err != nil {
			return "", before, err
		}
		if now, err := transactions(zk); err != nil || now != before {
			text = fmt.Sprintf("%s %s, which was %s", d.method, where, status)
			break
		}
	}
	if text == "" {
		for _, origin := range []string{foreign, "null"} {
			status := knock(ctx, pages, origin, d.host)
			if now, err := transactions(zk); err != nil || now != before {
				text = fmt.Sprintf("a websocket with the origin %s, which was %s", origin, status)
				break
			}
		}
	}
	now, err = quiet(ctx, zk)
	if now != before && text == "" {
		text = "one of its requests, or what was left of those before, later"
	}
	return text, now, err
}

// askPatience is how long a foreign page waits for an answer. What the server does then must have shown.
const askPatience = 2 * time.Second

// ask sends a request, and says how it was answered. Only one that cannot be made is an error.
func ask(ctx context.Context, browser *http.Client, d disguise, url string) (string, error) {
	_, query, _ := strings.Cut(url, "?")
	var body io.Reader
	if d.method == http.MethodPost { // the question in both places
		body = strings.NewReader(query)
	}
	req, err := http.NewRequestWithContext(ctx, d.method, url, body)
	if err != nil {
		return "", err
	}
	req.Header, req.Host = d.header.Clone(), d.host
	resp, err := browser.Do(req)
	if err != nil {
		return "not answered in time", nil
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // only the status is of interest
	return "answered with " + resp.Status, nil
}

// knock tries the websocket from another origin, and opens a run if it is let in.
func knock(ctx context.Context, pages, origin, host string) string {
	c, _, err := websocket.Dial(ctx, pages+"/ws", &websocket.DialOptions{
		HTTPClient: client.Address(attackers, 1).HTTP(0), HTTPHeader: http.Header{"Origin": {origin}}, Host: host,
	})
	if err != nil {
		return "refused"
	}
	defer c.CloseNow()
	_ = c.Write(ctx, websocket.MessageText,
		[]byte(`{"do":"open","query":"recipe=predecessor-lock&clients=3&hold=50ms","host":"live"}`))
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, _, _ = c.Read(ctx) // give it time to begin
	return "let in"
}

// quiet waits until the cluster has no transactions any more, and returns how many there were.
func quiet(ctx context.Context, zk *apache.Server) (zxid int64, err error) {
	const still = 10 // looks with the same answer
	same := 0
	for end := time.Now().Add(quietWithin); time.Now().Before(end); {
		now, err := transactions(zk)
		if err != nil {
			return 0, err
		}
		if now != zxid {
			zxid, same = now, 0
		} else if same++; same >= still && !working(zk) {
			return zxid, nil
		}
		if !sleep(ctx, 100*time.Millisecond) {
			return zxid, nil
		}
	}
	return zxid, nil
}

// transactions is the server's zxid.
func transactions(zk *apache.Server) (int64, error) {
	for line := range strings.Lines(zk.Word("srvr")) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "Zxid: 0x"); ok {
			return strconv.ParseInt(text, 16, 64)
		}
	}
	return 0, errors.New("ZooKeeper does not say how many transactions it has had")
}

// working reports whether somebody has a session on the server.
func working(zk *apache.Server) bool { return strings.Contains(zk.Word("cons"), ",sid=") }

// seesWrites makes sure that a transaction would have been seen: a page of the server's own opens a run.
func (w *World) seesWrites(ctx context.Context, s *target.Server, zk *apache.Server, before int64) error {
	p, err := client.Address(attackers, 1).Page(ctx, s.Pages, client.State{})
	if err != nil {
		return err
	}
	defer p.Cut()
	if err := p.Send(ctx, map[string]any{"do": "open", "host": "live",
		"query": "recipe=predecessor-lock&clients=2&hold=50ms"}); err != nil {
		return err
	}
	if err := p.Wait(ctx, func(s *client.State) bool { return s.Events[0] > 20 }); err != nil {
		if over(ctx, err) {
			return nil
		}
		return fmt.Errorf("a run of our own page, to see that runs are seen: %w", err)
	}
	now, err := transactions(zk)
	if err == nil && now <= before {
		err = fmt.Errorf("a run of our own page made no transaction: the count stays at %d", now)
	}
	if err == nil {
		w.note("%d transactions for a run of our own page: they would have been seen", now-before)
	}
	return err
}
