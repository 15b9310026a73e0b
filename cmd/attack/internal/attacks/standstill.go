package attacks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// ofStandstill are attacks in which one client of the ZooKeeper inside makes all others wait.
func ofStandstill() []Attack {
	return []Attack{
		{Name: "watch-words", Weight: 25, Rest: rest, Play: watchWords,
			Shows: "Twenty who ask at once for a list of a million watches keep no other client waiting."},
		{Name: "delete-ephemerals", Weight: 25, Rest: rest, Play: deleteEphemerals,
			Shows: "A session that deletes two hundred thousand ephemeral znodes from the last keeps no other client waiting."},
		{Name: "session-end", Weight: 20, Rest: rest, Play: sessionEnd,
			Shows: "The end of a session with two hundred thousand ephemeral znodes keeps no other client waiting."},
		{Name: "auth-names", Weight: 20, Rest: rest, Play: authNames,
			Shows: "Clients that add names of nearly a megabyte to their session, again and again, cost neither memory nor others' time."},
		{Name: "set-watches", Weight: 20, Rest: rest, Play: setWatches,
			Shows: "Requests that set a hundred thousand watches at once keep no other client waiting."},
		{Name: "words", Weight: 15, Rest: rest, Play: words,
			Shows: "A storm of dump, cons and mntr with hundreds of sessions keeps no other client waiting."},
	}
}

// The sizes of watch-words.
const (
	watchers      = 20
	watchesEach   = 50_000
	watchesAtOnce = 10_000 // in one request
	wordAskers    = 20
	wordRounds    = 5
)

func watchWords(ctx context.Context, w *World) error {
	from := sources()
	var t tally
	early, cancel := part(ctx, setUpShare)
	defer cancel()
	for i := range w.n(watchers) {
		if early.Err() != nil {
			break
		}
		p, done, err := w.sessionFor(ctx, from[i%len(from)], longSession)
		if err != nil {
			t.add("not connected")
			continue
		}
		defer done()
		outcome := "watching"
		for first, n := 0, w.n(watchesEach); first < n && outcome == "watching" && early.Err() == nil; first += watchesAtOnce {
			set := wire.Request{Xid: wire.XidSetWatches, Op: wire.OpSetWatches}
			for k := first; k < min(n, first+watchesAtOnce); k++ {
				set.ExistWatches = append(set.ExistWatches, fmt.Sprintf("%s/nothing-%d-%d", Root, i, k))
			}
			if a, _, err := p.Do(set); err != nil {
				outcome = "cut off while setting watches"
			} else if a.Code != zoo.OK {
				outcome = "refused: " + a.Code.Error()
			}
		}
		t.add(outcome)
		defer closing(p)
	}
	w.note("sessions: %s", &t)
	var asked tally
	for range wordRounds {
		if ctx.Err() != nil {
			break
		}
		each(ctx, w.n(wordAskers), func(ctx context.Context, i int) {
			asked.add(w.word(ctx, from[i%len(from)], []string{"wchp", "wchc"}[i%2]))
		})
	}
	w.note("words: %s", &asked)
	return nil
}

// word asks a four-letter word and drops the answer.
func (w *World) word(ctx context.Context, from client.From, word string) string {
	c, err := from.DialContext(ctx, "tcp", w.ZooKeeper)
	if err != nil {
		return "not connected"
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	_ = c.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(c, word); err != nil {
		return "cut off"
	}
	switch n, err := io.Copy(io.Discard, c); {
	case err != nil:
		return "broken off"
	case n == 0:
		return "without an answer"
	}
	return "answered"
}

// ephemerals is how many a session has.
const ephemerals = 200_000

// owned opens a session and makes its ephemeral znodes, which takes half of the time at most.
func (w *World) owned(ctx context.Context) (p *peerOf, err error) {
	session, done, err := w.sessionFor(ctx, loner(), longSession)
	if err != nil {
		return nil, err
	}
	early, cancel := part(ctx, setUpShare)
	defer cancel()
	if err := root(session); err != nil {
		done()
		return nil, err
	}
	made, refused := many(early, session, w.n(ephemerals), func(i int) wire.Request {
		return create(ephemeralName(i), nil, zoo.Ephemeral)
	})
	w.note("%d of %d ephemeral znodes were made (%v)", made, w.n(ephemerals), refused)
	return &peerOf{session, done, made}, nil
}

func ephemeralName(i int) string { return Root + "/e" + strconv.Itoa(i) }

func deleteEphemerals(ctx context.Context, w *World) error {
	p, err := w.owned(ctx)
	if err != nil {
		return err
	}
	defer p.done()
	start, deleted := time.Now(), 0
	const underWay = 1000
	for sent := 0; deleted < p.made && ctx.Err() == nil; {
		for sent < p.made && sent-deleted < underWay {
			p.Queue(&wire.Request{Xid: int32(sent + 1), Op: wire.OpDelete, Path: ephemeralName(p.made - 1 - sent), Version: -1})
			sent++
		}
		if p.Flush() != nil {
			break
		}
		for deleted < sent && (p.Ready() || sent-deleted >= underWay || sent == p.made) {
			if _, err := p.Recv(); err != nil {
				w.note("cut off after %d", deleted)
				return nil
			}
			deleted++
		}
	}
	w.note("%d of them were deleted, from the last, in %v", deleted, time.Since(start).Round(time.Millisecond))
	closing(p.Peer)
	return nil
}

// sessionsEnded is how many sessions end, one after the other.
const sessionsEnded = 5

func sessionEnd(ctx context.Context, w *World) error {
	for range w.n(sessionsEnded) {
		p, err := w.owned(ctx)
		if err != nil {
			return err
		}
		start := time.Now()
		closing(p.Peer)
		p.done()
		if ctx.Err() == nil {
			w.note("the session was closed in %v", time.Since(start).Round(time.Millisecond))
		}
		if p.made == 0 || !sleep(ctx, time.Second) {
			break
		}
	}
	return nil
}

// The sizes of auth-names.
const (
	authName     = 900_000 // bytes of a large name
	authNames0   = 50_000  // small names, from one session, in all
	authLarge    = 1500    // large names, in all
	authASecond  = 60
	authSessions = handful
)

func authNames(ctx context.Context, w *World) error {
	from := sources()
	var t tally
	each(ctx, authSessions, func(ctx context.Context, i int) {
		p, done, err := w.sessionFor(ctx, from[i], longSession)
		if err != nil {
			t.add("not connected")
			return
		}
		defer done()
		defer closing(p)
		beat := time.NewTicker(time.Second * authSessions / authASecond)
		defer beat.Stop()
		auth := func(name []byte) bool {
			a, _, err := p.Do(wire.Request{Xid: wire.XidAuth, Op: wire.OpAuth, Scheme: "digest", Auth: append(name, ":secret"...)})
			if err != nil {
				t.add("cut off")
				return false
			}
			t.add("answered with " + a.Code.Error())
			return true
		}
		if i == 0 { // many small names, and an ACL that stands for all of them
			for k := range w.n(authNames0) {
				if ctx.Err() != nil || !auth(fmt.Appendf(nil, "name-%d", k)) {
					return
				}
			}
			_, _, _ = p.Do(wire.Request{Op: wire.OpCreate, Path: Root + "-acl", ACL: []zoo.ACL{{Perms: zoo.PermAll, Scheme: "auth"}}, Flags: int32(zoo.Ephemeral)}) // it may be refused
			return
		}
		for k := range w.n(authLarge / authSessions) {
			name := bytes.Repeat([]byte{'a' + byte(i)}, w.n(authName))
			if !auth(strconv.AppendInt(name, int64(k), 10)) {
				return
			}
			select {
			case <-beat.C:
			case <-ctx.Done():
				return
			}
		}
	})
	w.note("%s", &t)
	return nil
}

// The sizes of set-watches.
const (
	watchesSet  = 100_000 // in one request
	setters     = handful
	settersEach = 20 // requests
)

func setWatches(ctx context.Context, w *World) error {
	from := sources()
	var t tally
	each(ctx, setters, func(ctx context.Context, i int) {
		p, done, err := w.sessionFor(ctx, from[i], longSession)
		if err != nil {
			t.add("not connected")
			return
		}
		defer done()
		defer closing(p)
		for k := range w.n(settersEach) {
			set := wire.Request{Xid: wire.XidSetWatches, Op: wire.OpSetWatches}
			for n := range w.n(watchesSet) {
				path := "/" + strconv.FormatInt(int64(n), 36) // 9 bytes in the frame at most, so that all fit into one
				if k%2 == 0 {
					set.ExistWatches = append(set.ExistWatches, path)
				} else {
					set.DataWatches = append(set.DataWatches, path) // there is no such znode: an event for each
				}
			}
			if a, _, err := p.Do(set); err != nil {
				t.add("cut off")
				return
			} else {
				t.add("answered with " + a.Code.Error())
			}
		}
	})
	w.note("requests: %s", &t)
	return nil
}

// The sizes of words.
const (
	wordSessions  = 400
	wordsASecond  = 150
	wordsInAll    = 1500
	sessionZnodes = 50 // ephemerals of each session, which dump lists
)

func words(ctx context.Context, w *World) error {
	from := sources()
	var t tally
	early, cancel := part(ctx, setUpShare)
	defer cancel()
	for i := range w.n(wordSessions) {
		if early.Err() != nil {
			break
		}
		p, done, err := w.sessionFor(ctx, from[i%len(from)], longSession)
		if err != nil {
			t.add("not connected")
			continue
		}
		defer done()
		if _, err := many(early, p, sessionZnodes, func(k int) wire.Request {
			return create(fmt.Sprintf("%s-%d-%d", Root, i, k), nil, zoo.Ephemeral)
		}); err != nil {
			t.add("cut off")
			continue
		}
		t.add("there")
		defer func() { // all at once, without waiting for each
			_ = p.Send(wire.Request{Op: wire.OpCloseSession})
		}()
	}
	w.note("sessions: %s", &t)
	var asked tally
	all := []string{"dump", "cons", "mntr", "stat", "srvr", "wchs"}
	paced(ctx, w.n(wordsInAll), wordsASecond, 32, func(ctx context.Context, i int) {
		asked.add(w.word(ctx, client.Address(attackers, 50+i%handful), all[i%len(all)]))
	})
	w.note("words: %s", &asked)
	return nil
}
