package model

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// blPop takes the head of the first list that has one, or waits for one.
func blPop(s *Server, k *session, args []string) resp.Value {
	keys := args[1 : len(args)-1]
	limit, bad := timeout(args[len(args)-1])
	if bad != "" {
		return resp.Err(bad)
	}
	for _, key := range keys {
		i := s.find(key)
		switch {
		case i == nil:
		case !i.isList:
			return resp.Err(wrongType)
		default:
			return resp.List(resp.String(key), resp.String(s.pop(key, i)))
		}
	}
	s.block(&wait{k: k, keys: slices.Clone(keys), path: keys[0]}, limit)
	return none
}

// timeout parses the timeout of a BLPOP: seconds, 0 for no limit.
func timeout(word string) (time.Duration, string) {
	f, err := strconv.ParseFloat(word, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil
	}
	const farthest = math.MaxInt64 / 1000 // ms; values beyond become negative, as in Redis
	switch {
	case err != nil || math.IsNaN(f) || strings.ContainsAny(word, "xX_"):
		return 0, "ERR timeout is not a float or out of range"
	case f < 0 || f > farthest:
		return 0, "ERR timeout is negative"
	}
	return time.Duration(min(math.Ceil(f*1000), longestWait)) * time.Millisecond, ""
}

// longestWait is the longest wait in ms that differs from no limit: a hundred years.
const longestWait = 100 * 365 * 24 * 3600 * 1000

// waitFor waits until replicas have what the connection has written.
func waitFor(s *Server, k *session, args []string) resp.Value {
	n, err := strconv.Atoi(args[1])
	limit, err2 := strconv.ParseInt(args[2], 10, 64)
	switch {
	case s.replication.replica:
		return resp.Err("ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a " +
			"replica is configured to be writable (which is not the default) writes to replicas are just local and are not " +
			"propagated.")
	case err != nil:
		return resp.Err(notInteger)
	case err2 != nil || limit > farthest:
		return resp.Err("ERR timeout is not an integer or out of range")
	case limit < 0:
		return resp.Err("ERR timeout is negative")
	}
	if done := s.replication.confirmed(k.offset); done >= n {
		return resp.Int(int64(done))
	}
	s.block(&wait{k: k, replies: n, offset: k.offset}, time.Duration(limit)*time.Millisecond)
	return none
}

// block makes a request wait, for at most limit, unless limit is 0.
func (s *Server) block(w *wait, limit time.Duration) {
	w.k.wait = w
	if limit > 0 {
		s.waits.limits.Add(s.moment.given()+limit, w)
	}
	s.waits.add(w)
	if w.keys != nil {
		s.emit(event.Event{Kind: event.RequestWaits, Peer: w.k.from, Path: w.path, Op: event.Command})
	}
}

// unblock ends a wait.
func (s *Server) unblock(w *wait, why event.Reason) {
	w.over, w.k.wait = true, nil
	s.waits.remove(w)
	if w.keys != nil {
		s.emit(event.Event{Kind: event.RequestServed, Peer: w.k.from, Path: w.path, Op: event.Command, Reason: why})
	}
}

// serve hands out what was pushed to lists that requests wait for, to the longest waiting first. It runs after a
// command, or after a whole script.
func (s *Server) serve() {
	for len(s.waits.pushed) > 0 {
		key := s.waits.pushed[0]
		s.waits.pushed = slices.Delete(s.waits.pushed, 0, 1)
		for len(s.waits.byList[key]) > 0 {
			i := s.find(key)
			if i == nil || !i.isList {
				break
			}
			w := s.waits.byList[key][0]
			s.unblock(w, event.NoReason)
			s.moment.by = w.k.from
			v := s.pop(key, i)
			w.k.link.Reply(redis.Reply(resp.List(resp.String(key), resp.String(v))), true, s.moment.cause)
			s.waits.unblocked = append(s.waits.unblocked, w.k)
		}
	}
}
