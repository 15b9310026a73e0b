package live

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/zoo"
)

// Where a run works, under the path that the operator has given (BASE):
//
//	BASE/run-ID            the recipe's root, and all that the recipe makes
//	BASE/run-ID-clients    one ephemeral znode for each session of the run: client-1, …, and server
//
// The server's tells other servers on the same path that the run is alive; it goes with the session of a
// server that crashes, and then Sweep may remove the rest.

// madeByUs is the data of the znodes above a run's root that were made for it, and may go when empty.
const madeByUs = "made by zkviz"

var rootName = regexp.MustCompile(`^run-[0-9a-z]{10}$`)

// NewRoot is a new run's root under base.
func NewRoot(base string) string {
	var random [6]byte
	_, _ = rand.Read(random[:]) // it never fails
	id := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(random[:]))
	return strings.TrimSuffix(base, "/") + "/run-" + id
}

func isRoot(root string) bool {
	return rootName.MatchString(path.Base(root)) && path.Clean(root) == root && root[0] == '/'
}

func holder(root string) string { return root + "-clients" }

// marker is the znode that stands for a session of the run.
func marker(root, name string) string { return holder(root) + "/" + name }

const serverMark = "server"

// maxPasses bounds the passes over a subtree that somebody else may still be writing to.
const maxPasses = 10

// remove removes a znode and all that is below it.
func remove(conn *zk.Conn, path string) error {
	for range maxPasses {
		err := conn.Delete(path, -1)
		switch codeOf(err) {
		case zoo.OK, zoo.ErrNoNode:
			return nil
		case zoo.ErrNotEmpty:
		case zoo.ErrNoAuth: // this is found out first
			if there, _, err := conn.Exists(path); err == nil && !there {
				return nil
			}
			return wrap("remove", path, err)
		default:
			return fmt.Errorf("remove %s: %w", path, err)
		}
		names, _, err := conn.Children(path)
		if err != nil && codeOf(err) != zoo.ErrNoNode {
			return fmt.Errorf("remove %s: %w", path, err)
		}
		for _, name := range names {
			if err := remove(conn, path+"/"+name); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("remove %s: somebody keeps making znodes in it", path)
}

// removeRun removes a run: its root first, so that what is left of an attempt that fails can be found.
func removeRun(conn *zk.Conn, root string) error {
	if err := remove(conn, root); err != nil {
		return err
	}
	if err := remove(conn, holder(root)); err != nil {
		return err
	}
	for at := parentOf(root); at != "/"; at = parentOf(at) {
		data, _, err := conn.Get(at)
		if err != nil || string(data) != madeByUs || conn.Delete(at, -1) != nil {
			break // it is not ours, or still in use
		}
	}
	return nil
}

// SweepGrace is how long Sweep waits for the marks of servers that may have crashed: the longest for which
// a crashed server's mark stays, with ZooKeeper's usual tick.
const SweepGrace = deskTimeout + 4*time.Second

// Sweep removes the runs under base that no server is at work on any more: those whose server has crashed.
// It waits up to SweepGrace for runs whose mark is there, since that of a server that has just crashed
// still is. It touches nothing but runs.
func Sweep(ctx context.Context, servers []string, base string) error {
	return sweep(ctx, servers, base, SweepGrace)
}

// SweepNow is Sweep without waiting for marks: what has just crashed is left to the next one.
func SweepNow(ctx context.Context, servers []string, base string) error {
	return sweep(ctx, servers, base, 0)
}

func sweep(ctx context.Context, servers []string, base string, grace time.Duration) error {
	conn, err := dialDesk(ctx, servers, nil, nil)
	if err != nil {
		return fmt.Errorf("sweep %s: %w", base, err)
	}
	defer conn.close()
	base = strings.TrimSuffix(base, "/")
	limit := time.Now().Add(grace)
	for {
		marked, err := sweepOnce(conn.zk, base)
		if err != nil {
			return fmt.Errorf("sweep %s: %w", base, err)
		}
		if marked == 0 || !time.Now().Before(limit) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("sweep %s: %w", base, ctx.Err())
		case <-time.After(sweepEvery):
		}
	}
}

const sweepEvery = 500 * time.Millisecond

// sweepOnce removes the dead runs and counts those that are marked as alive.
func sweepOnce(conn *zk.Conn, base string) (marked int, err error) {
	at := base
	if at == "" {
		at = "/"
	}
	names, _, err := conn.Children(at)
	if codeOf(err) == zoo.ErrNoNode {
		return 0, nil
	}
	if err != nil {
		return 0, wrap("list", at, err)
	}
	var forbidden error // one that may not be removed does not keep the others
	for _, name := range names {
		name = strings.TrimSuffix(name, "-clients")
		if !rootName.MatchString(name) {
			continue
		}
		root := base + "/" + name
		alive, _, err := conn.Exists(marker(root, serverMark))
		if err == nil && alive {
			marked++
			continue
		}
		if err == nil {
			err = removeRun(conn, root)
		}
		switch {
		case codeOf(err) == zoo.ErrNoAuth:
			forbidden = err
		case err != nil:
			return marked, err
		}
	}
	return marked, forbidden
}

// stays is the error of a removal, and what becomes of what could not be removed.
func stays(err error) error {
	if codeOf(err) == zoo.ErrNoAuth {
		return fmt.Errorf("%w; it stays there until somebody removes it who may", err)
	}
	return fmt.Errorf("%w; the next command or server on the same path removes it", err)
}
