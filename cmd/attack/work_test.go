package attack

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"nhooyr.io/websocket"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/testing/peer"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/recipes"
)

// working lists attacks that cost processor time or make others wait. They take turns.
var working = []attack{
	{"forks", forks},
	{"long-runs", longRuns},
	{"figures", figures},
	{"messages", messages},
	{"page-storm", pageStorm},
	{"foreign-forms", foreignForms},
	{"web-frames", webFrames},
	{"zk-frames", zkFrames},
	{"ephemerals", ephemerals},
	{"watches", watches},
	{"words", words},
	{"secrets", secrets},
	{"classes", floodClasses},
}

// forks makes twenty-four pages inject fifty-eight faults each into the biggest runs.
func forks(ctx context.Context, a *attacker, t *tally) {
	start(a.size(24), 10, time.Second, func(i int) {
		c, err := t.from(i).socket(ctx, a.pages)
		if err == nil {
			defer c.CloseNow()
			err = c.Write(ctx, websocket.MessageText, a.longRun(i+1))
		}
		go func() {
			if err == nil {
				drain(ctx, c, time.Minute)
			}
		}()
		for n := 0; n < a.size(58) && err == nil; n++ {
			time.Sleep(100 * time.Millisecond) // within a page's message limit
			err = c.Write(ctx, websocket.MessageText,
				fmt.Appendf(nil, `{"do":"fault","branch":0,"fault":"pause client-%d at %dms for 1s"}`, 1+n%3, 1+n))
		}
		t.count(err)
	})
}

// longRuns makes thirty-six pages hold the longest logs, different ones each time.
func longRuns(ctx context.Context, a *attacker, t *tally) {
	start(a.size(36), 20, time.Second, func(i int) {
		c, err := t.from(i).socket(ctx, a.pages)
		if err == nil {
			defer c.CloseNow()
			err = c.Write(ctx, websocket.MessageText, a.longRun(int(time.Now().UnixMilli())+i))
		}
		if t.count(err) {
			drain(ctx, c, kept)
		}
	})
}

// figures requests many small figures and big ones, and abandons some requests.
func figures(ctx context.Context, a *attacker, t *tally) {
	all := recipes.All()
	ask := func(i, clients int, patience time.Duration) {
		inner, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		t.count(a.get(inner, t.from(i), fmt.Sprintf("/api/figures?recipe=%s&clients=%d", all[i%len(all)].Name, clients), nil))
	}
	go start(max(3, a.size(30)), 30, time.Second, func(i int) { ask(i, max(10, a.size(1000)-i), patience) })
	go storm(30, 32, func(i int) { ask(i, max(10, a.size(900)-i%100), 30*time.Millisecond) })
	storm(150, 32, func(i int) { ask(i, 3+i/len(all)%200, patience) })
}

// get loads a page over separate connections.
func (a *attacker) get(ctx context.Context, who from, where string, header http.Header) error {
	browser := who.browser()
	defer browser.CloseIdleConnections()
	return load(ctx, browser, a.pages+where, header)
}

// worst returns messages that take long, must be refused, or end soon.
func worst() (all []string) {
	for _, query := range []string{
		"priority-queue&clients=1000&rounds=1000", "delay-queue&clients=1000&rounds=1000", "children-lock&clients=1000000000",
		"children-lock&clients=-1", "nothing", "children-lock&clients=1000&rounds=1000000",
		"children-lock&clients=3&fault=crash client-99 at 1s", "children-lock&clients=3&fault=restart server at 0s for 24h",
		"children-lock&clients=3&latency=24h&jitter=24h", "children-lock&clients=3&latency=-1s",
		"children-lock&clients=3&hold=9999999h", "children-lock&clients=3&session-timeout=1ns",
	} {
		text, _ := json.Marshal(map[string]string{"do": "open", "query": "recipe=" + query})
		all = append(all, string(text))
	}
	return append(all, `{"do":"fault","branch":-1,"fault":"crash client-1 at 1s"}`,
		`{"do":"fault","branch":999999999,"fault":"crash client-1 at 1s"}`, `{"do":"contend","clients":10}`,
		`{"do":"resume","run":"r1-aaaaaaaa","from":{"0":4294967295}}`, `{"do":`, `null`, `[]`,
		`{"do":"open","lesson":"../../etc/passwd"}`, "\xff\xfe")
}

// messages sends two of these alternately from each page, until the server closes.
func messages(ctx context.Context, a *attacker, t *tally) {
	all := worst()
	storm(20, 8, func(i int) {
		c, err := t.from(i).socket(ctx, a.pages)
		if !t.count(err) {
			return
		}
		defer c.CloseNow()
		go drain(ctx, c, time.Minute)
		for n := 0; n < 50 && err == nil; n++ {
			time.Sleep(60 * time.Millisecond)
			err = c.Write(ctx, websocket.MessageText, []byte(all[(i+n%2*(i*7+3))%len(all)]))
		}
	})
}

// pageStorm loads a hundred pages a second, plain and compressed, and sends huge headers in between.
func pageStorm(ctx context.Context, a *attacker, t *tally) {
	pages := []string{
		"/", "/recipes", "/lessons/the-herd", "/lab", "/zoo", "/lessons/two-believe?theme=dark",
		"/lab/compare?recipe=unique-lock&clients=2", "/live", "/lessons/the-herd/release.svg", "/static/app.js",
		"/stage", "/lab?recipe=children-lock&clients=",
	}
	go storm(20, 16, func(i int) {
		long := http.Header{"X-Long": {strings.Repeat("a", 1<<20)}, "Cookie": slices.Repeat([]string{"a=b"}, 20_000*(i%2))}
		_ = a.get(ctx, t.from(i), "/", long) // which must be refused
	})
	storm(100, 64, func(i int) {
		where := pages[i%len(pages)]
		if strings.HasSuffix(where, "=") {
			where += fmt.Sprint(2 + i%500)
		}
		t.count(a.get(ctx, t.from(i), where, http.Header{"Accept-Encoding": {[]string{"br", "gzip", "identity"}[i%3]}}))
	})
}

// foreignForms is a page of another site that makes the browser of the server's user post forms, so that the server
// connects to the attacker. If the server ever does, the attack ends the process, and with it the test.
func foreignForms(ctx context.Context, a *attacker, t *tally) {
	trap, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		if c, err := trap.Accept(); err == nil {
			panic("a foreign page made the server connect from " + c.RemoteAddr().String())
		}
	}()
	where := url.Values{"zk": {trap.Addr().String()}, "cluster": {trap.Addr().String()}}.Encode()
	follows := http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"},
		"Sec-Fetch-Dest": {"document"}}
	storm(20, 16, func(i int) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.pages+"/live/connect", strings.NewReader(where))
		if err != nil {
			panic(err)
		}
		r.Header = follows.Clone()
		r.Header.Set("Origin", []string{"http://evil.example", "null", a.pages + "0"}[i%3])
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		answer, err := t.from(i).browser().Do(r)
		if err == nil {
			_ = answer.Body.Close()
			if err = a.get(ctx, t.from(i), "/live/locks?"+where, follows); answer.StatusCode != http.StatusForbidden {
				panic("a foreign page's form got " + answer.Status)
			}
		}
		t.count(err)
	})
}

// webFrames sends frames that no websocket library would: huge, endlessly fragmented, unmasked, unfinished.
func webFrames(ctx context.Context, a *attacker, t *tally) {
	host := strings.TrimPrefix(a.pages, "http://")
	frame := func(first byte, announced uint64, payload string) string {
		head := binary.BigEndian.AppendUint64([]byte{first, 0x80 | 127}, announced)
		return string(head) + "\x00\x00\x00\x00" + payload
	}
	kinds := []struct{ first, again string }{
		{frame(0x81, 1<<62, ""), strings.Repeat("\x00", 1<<16)}, {frame(0x81, 8<<20, ""), strings.Repeat("\x00", 1<<16)},
		{frame(0x01, 1, "{"), frame(0x00, 1, " ")}, {frame(0x01, 0, ""), frame(0x00, 0, "")},
		{"", frame(0x82, 8, "\x00binary\xff")}, {"", frame(0x89, 4, "ping")}, {"", "\x81\x02{}"},
		{"", "\xff\x82\x00\x00\x00\x00{}"}, {frame(0x81, 100, "{"), ""},
	}
	storm(40, 64, func(i int) {
		c, err := t.from(i).dial(ctx, "tcp", host)
		if !t.count(err) {
			return
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(5 * time.Second)) // a read or write reports it
		_, err = fmt.Fprintf(c, "GET /ws HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n%s", host, a.pages,
			kinds[i%len(kinds)].first)
		for n := 0; n < 20_000 && err == nil; n++ {
			_, err = io.WriteString(c, kinds[i%len(kinds)].again)
		}
		_, _ = io.Copy(io.Discard, c) // until the server closes
	})
}

// zkFrames sends large requests to the ZooKeeper inside, with bad frames in between.
func zkFrames(ctx context.Context, a *attacker, t *tally) {
	bad := []string{"\x7f\xff\xff\xff", "\xff\xff\xff\xff", "\x00\x00\x00\x04\xde\xad\xbe\xef",
		string(binary.BigEndian.AppendUint32(nil, wire.MaxFrame+1)),
		"\x00\x00\x00\x14\x00\x00\x00\x01\x00\x00\x00\x65\x00\x00\x00\x00\x00\x00\x00\x00\x7f\xff\xff\xff"} // a list of 2³¹
	large := make([]byte, wire.MaxFrame-200)
	storm(40, 16, func(i int) {
		p, err := t.from(i).session(ctx, a.zookeeper, sessionTimeout)
		if err != nil {
			t.count(err)
			return
		}
		defer p.Close()
		if i%2 == 0 {
			_, _, err = p.Do(create(fmt.Sprintf("%s-large-%d", root, i), large, zoo.Ephemeral))
			t.count(err)
			return
		}
		send(p.Conn(), []byte(bad[i/2%len(bad)]))
		_, _ = p.Recv() // the end of the connection
	})
}

// ephemerals creates two hundred thousand znodes in a session, deletes the later half from the end, and closes it.
func ephemerals(ctx context.Context, a *attacker, t *tally) {
	path := func(i int) string { return root + "/e" + number(i) }
	a.owner(ctx, t, func(p *peer.Peer) error {
		n := a.size(200_000)
		if err := many(p, n, func(i int) wire.Request { return create(path(i), nil, zoo.Ephemeral) }); err != nil {
			return err
		}
		for i := n - 1; i > n/2; i-- {
			p.Queue(&wire.Request{Xid: int32(n - i), Op: wire.OpDelete, Path: path(i), Version: -1})
			if i%1000 == 0 || i == n/2+1 {
				if err := p.Flush(); err != nil {
					return err
				}
			}
		}
		for range n - 1 - n/2 {
			if _, err := p.Recv(); err != nil {
				return err
			}
		}
		return nil
	})
}

// watches sets a hundred thousand watches in one request, repeatedly, and asks which clients watch.
func watches(ctx context.Context, a *attacker, t *tally) {
	go storm(4, 8, func(i int) {
		_, _ = t.from(i).word(a.zookeeper, []string{"wchp", "wchc"}[i%2]) // it may be too long
	})
	start(handful, 10, time.Second, func(i int) {
		p, err := t.from(i).session(ctx, a.zookeeper, a.longSession())
		if t.count(err) {
			defer p.Close()
		}
		for k := 0; k < 20 && err == nil; k++ {
			set := wire.Request{Xid: wire.XidSetWatches, Op: wire.OpSetWatches}
			for n := range a.size(100_000) {
				if k%2 == 0 {
					set.ExistWatches = append(set.ExistWatches, "/"+number(n))
				} else {
					set.DataWatches = append(set.DataWatches, "/"+number(n)) // no such znode exists: an event for each
				}
			}
			_, _, err = p.Do(set)
			t.count(err)
		}
	})
}

// words keeps four hundred sessions with znodes, and requests long lists of them.
func words(ctx context.Context, a *attacker, t *tally) {
	go start(a.size(400), 40, time.Second, func(i int) {
		p, err := t.from(i).session(ctx, a.zookeeper, a.longSession())
		if err != nil {
			return
		}
		defer p.Abort()
		_ = many(p, 50, func(k int) wire.Request { // it may be refused
			return create(fmt.Sprintf("%s-%d-%d-%x", root, i, k, p.Welcome.Session), nil, zoo.Ephemeral)
		})
		time.Sleep(kept)
	})
	all := []string{"dump", "cons", "mntr", "stat", "srvr", "wchs"}
	storm(150, 32, func(i int) {
		text, err := from{t.net, byte(50 + i%handful)}.word(a.zookeeper, all[i%len(all)])
		if err == nil && text == "" {
			err = errors.New("no answer")
		}
		t.count(err)
	})
}

// secrets adds as many and as long identities as it can, and requests a megabyte a thousand times in one request.
func secrets(ctx context.Context, a *attacker, t *tally) {
	var once sync.Once
	storm(8, handful, func(i int) {
		p, err := t.from(i).session(ctx, a.zookeeper, a.longSession())
		if err != nil {
			t.count(err)
			return
		}
		defer p.Close()
		once.Do(func() { _, _, _ = p.Do(create(root, nil, zoo.Persistent)) }) // it may exist
		big := fmt.Sprintf("%s-big-%d", root, i)
		_, _, err = p.Do(create(big, make([]byte, a.size(1_000_000)), zoo.Ephemeral))
		ask := wire.Request{Op: wire.OpMultiRead}
		for range a.size(1000 * (1 + i%2*3)) {
			ask.Ops = append(ask.Ops, wire.Request{Op: wire.OpGetData, Path: big})
		}
		if err == nil {
			_, _, err = p.Do(ask)
		}
		t.count(err)
		for k := 0; k < 100 && err == nil; k++ {
			name := fmt.Appendf(nil, "name-%d", k)
			if i%2 == 0 {
				name = bytes.Repeat([]byte{'a' + byte(k%26)}, a.size(900_000))
			}
			_, _, err = p.Do(wire.Request{Xid: wire.XidAuth, Op: wire.OpAuth, Scheme: "digest",
				Auth: append(name, ":secret"...)})
		}
	})
}
