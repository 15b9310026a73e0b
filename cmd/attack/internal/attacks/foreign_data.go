package attacks

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/zkviz/zkviz/cmd/attack/internal/client"
	"github.com/zkviz/zkviz/cmd/attack/internal/target"
	"github.com/zkviz/zkviz/engine/apache"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/wire/peer"
	"github.com/zkviz/zkviz/engine/zoo"
)

// foreignRoot is where foreign data is planted.
const foreignRoot = "/school"

// mark is what zkviz writes into znodes that it has made for runs to work under: others may have the same words.
const mark = "made by zkviz"

// looks are foreign znodes, below the folder that they are planted in: each parent before its children.
func looks() map[string]string {
	return map[string]string{
		"/config": "url=db.example", "/config/db": "secret", "/empty": "", "/marked": mark, "/marked/child": "x",
		"/run-abcdefghij": "", "/run-0123456789": "a run of ours", "/run-0123456789/result": "42",
		"/run-0123456789/result/part": "",
		"/run-zzzzzzzzzz-clients":     "", "/run-yyyyyyyyyy": mark, "/run-yyyyyyyyyy-clients": mark,
		"/run-yyyyyyyyyy-clients/client-1": "",
		"/run-xxxxxxxxxx-clients":          "", "/run-xxxxxxxxxx-clients/server": "persistent", "/run-xxxxxxxxxx": "",
		"/run-short": "", "/RUN-ABCDEFGHIJ": "", "/run-abcdefghij-clients": "", "/run-abcdefghij-clients/config": "1",
		"/lock-0000000001": "", "/lock": "", "/lock/lock-0000000000": "me", "/queue": "", "/queue/item-0000000000": "job",
		"/_c_0123-lock-0000000000": "", "/zkviz": mark, "/zkviz/run-wwwwwwwwww": "", "/children-lock": "",
		"/children-lock/lock-1-0000000000": "",
	}
}

// base is a --zk-path to work under.
type base struct {
	path    string
	planted bool // there is foreign data at it and below it
	flag    bool // it is allowed with --zk-path-exists
}

func bases() []base {
	return []base{
		{foreignRoot + "/data", true, false}, {foreignRoot + "/allowed", true, true}, {foreignRoot + "/fresh", false, false},
		{foreignRoot + "/deep/er/fresh", false, false},
	}
}

// foreignData has servers work, and be killed at work, on a real ZooKeeper in which others keep data.
func foreignData(ctx context.Context, w *World) error {
	zk, err := apache.Start(apache.Config{HeapMB: 128})
	if err != nil {
		return err
	}
	defer zk.Close()
	owner, err := client.Address(attackers, 1).ZooKeeper(ctx, zk.Addr, apache.MaxSession, patience)
	if err != nil {
		return err
	}
	defer owner.Abort()
	plants := map[string]string{foreignRoot: "ours"}
	for name, data := range looks() { // beside each path
		plants[foreignRoot+name] = data
	}
	for _, b := range bases() {
		if b.planted {
			plants[b.path] = "ours"
			for name, data := range looks() { // and below
				plants[b.path+name] = data
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(plants)) {
		if a, _, err := owner.Do(create(p, []byte(plants[p]), zoo.Persistent)); err != nil || a.Code != zoo.OK {
			return fmt.Errorf("plant %s: %v %w", p, a.Code, err)
		}
	}
	before, err := snapshot(owner, foreignRoot, nil)
	if err != nil {
		return err
	}
	early, cancel := part(ctx, 0.9)
	defer cancel()
	each(early, len(bases()), func(ctx context.Context, i int) {
		if err := w.workUnder(ctx, zk, bases()[i]); err != nil {
			w.note("%s: %v", bases()[i].path, err)
		}
	})
	after, err := snapshot(owner, foreignRoot, nil)
	if err != nil {
		return err
	}
	w.compare(before, after)
	w.leftBelow(before, after)
	return nil
}

// leftBelow reports what servers that were stopped have left below their paths. A path itself may stay.
func (w *World) leftBelow(before, after map[string]found) {
	for _, b := range bases() {
		var left []string
		for _, p := range slices.Sorted(maps.Keys(after)) {
			if _, foreign := before[p]; !foreign && strings.HasPrefix(p, b.path+"/") {
				left = append(left, p)
			}
		}
		if len(left) > 0 && !w.hasty {
			w.broken("%s: all servers were stopped, and %d znodes are left: %s", b.path, len(left), some(left))
		}
	}
}

// workUnder runs recipes below a path: on a server that is killed in their middle, on one after it, and from the
// command line.
func (w *World) workUnder(ctx context.Context, zk *apache.Server, b base) error {
	args := []string{"--zk", zk.Addr, "--zk-path", b.path}
	if b.flag {
		args = append(args, "--zk-path-exists")
	}
	first, err := target.Start(target.Config{Program: w.Program, MemoryMB: w.MemoryMB, Dir: w.Dir,
		Args: append([]string{"--addr", "127.0.0.1:0"}, args...)})
	if err != nil {
		return err // as it should, for a path that is not its own
	}
	w.runLive(ctx, first, 2, false)
	first.Kill()
	second, err := target.Start(target.Config{Program: w.Program, MemoryMB: w.MemoryMB, Dir: w.Dir,
		Args: append([]string{"--addr", "127.0.0.1:0"}, args...)})
	if err != nil {
		return err
	}
	w.runLive(ctx, second, 2, true)
	_, errs, _, err := w.run(ctx, append([]string{"run", "predecessor-lock", "--clients", "3", "--hold", "10ms"},
		args...)...)
	if err != nil && !over(ctx, err) {
		w.note("%s: %v: %.200s", b.path, err, errs)
	}
	w.swept(ctx, zk, b) // what the first server left
	if err := second.Stop(); err != nil {
		w.broken("%s: %v", b.path, err)
	}
	return nil
}

// runLive opens recipes on a cluster through a page, and waits for their end or, if they are to be killed, until
// each is at work.
func (w *World) runLive(ctx context.Context, s *target.Server, n int, ended bool) {
	each(ctx, n, func(ctx context.Context, i int) {
		inner, cancel := part(ctx, 0.3)
		defer cancel()
		p, err := client.Address(attackers, 1+i).Page(inner, s.Pages, client.State{})
		if err != nil {
			return
		}
		defer p.Cut()
		recipe := []string{"children-lock", "predecessor-lock"}[i%2]
		if err := p.Send(inner, map[string]any{"do": "open", "host": "live", "query": "recipe=" + recipe +
			"&clients=4&hold=50ms"}); err != nil {
			return
		}
		err = p.Wait(inner, func(st *client.State) bool { return st.Events[0] > 60 && !ended || st.Ended[0] })
		if err != nil && inner.Err() == nil {
			w.note("a run on the cluster: %v", err)
		}
	})
}

// sweepTime is the longest for which a server's marks outlive it, so that the next one may sweep.
const sweepTime = 20 * time.Second

// swept waits until no run is left below a path, those of the server that was killed included.
func (w *World) swept(ctx context.Context, zk *apache.Server, b base) {
	looker, err := client.Address(attackers, 2).ZooKeeper(ctx, zk.Addr, apache.MaxSession, patience)
	if err != nil {
		return
	}
	defer looker.Abort()
	foreign := map[string]string{}
	if b.planted {
		for name := range looks() {
			foreign[b.path+name] = ""
		}
	}
	left, start := []string(nil), time.Now()
	for time.Since(start) < sweepTime {
		all, err := snapshot(looker, b.path, nil)
		if err != nil {
			return
		}
		left = nil
		for _, p := range slices.Sorted(maps.Keys(all)) {
			if _, ok := foreign[p]; !ok && strings.HasPrefix(p, b.path+"/run-") {
				left = append(left, p)
			}
		}
		if len(left) == 0 {
			return
		}
		if !sleep(ctx, time.Second) {
			w.note("%s: there was no time to see what a server that was killed left behind swept", b.path)
			w.hurry()
			return
		}
	}
	w.broken("%s: %v after a server was killed, %d znodes of its runs are left, such as %s", b.path, sweepTime, len(left),
		left[0])
}

// found is what there is of a znode.
type found struct {
	data  string
	czxid int64
	mzxid int64
}

// snapshot is everything from a znode on, by path.
func snapshot(p *peer.Peer, at string, into map[string]found) (map[string]found, error) {
	if into == nil {
		into = map[string]found{}
	}
	got, _, err := p.Do(wire.Request{Op: wire.OpGetData, Path: at})
	if err != nil {
		return nil, err
	}
	if got.Code == zoo.ErrNoNode {
		return into, nil
	}
	into[at] = found{string(got.Data), got.Stat.Czxid, got.Stat.Mzxid}
	list, _, err := p.Do(wire.Request{Op: wire.OpGetChildren, Path: at})
	if err != nil {
		return nil, err
	}
	for _, name := range list.Children {
		if _, err := snapshot(p, path.Join(at, name), into); err != nil {
			return nil, err
		}
	}
	return into, nil
}

// compare reports foreign znodes that are gone or changed.
func (w *World) compare(before, after map[string]found) {
	var gone, changed []string
	for _, p := range slices.Sorted(maps.Keys(before)) {
		switch now, there := after[p]; {
		case !there || now.czxid != before[p].czxid:
			gone = append(gone, p)
		case now != before[p]:
			changed = append(changed, p)
		}
	}
	if len(gone) > 0 {
		w.broken("%d foreign znodes were removed: %s", len(gone), some(gone))
	}
	if len(changed) > 0 {
		w.broken("%d foreign znodes were changed: %s", len(changed), some(changed))
	}
	w.note("%d of %d foreign znodes are there, unchanged", len(before)-len(gone)-len(changed), len(before))
}

// some is the first of a list.
func some(all []string) string {
	const most = 5
	if len(all) > most {
		return strings.Join(all[:most], ", ") + " and others"
	}
	return strings.Join(all, ", ")
}
