package model

import (
	"errors"
	"maps"
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
	case s.replica:
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
	if done := s.confirmed(k.offset); done >= n {
		return resp.Int(int64(done))
	}
	s.block(&wait{k: k, replies: n, offset: k.offset}, time.Duration(limit)*time.Millisecond)
	return none
}

// block makes a request wait, for at most limit, unless limit is 0.
func (s *Server) block(w *wait, limit time.Duration) {
	w.k.wait = w
	if limit > 0 {
		s.limits.Add(s.now-s.ahead+limit, w)
	}
	if w.keys == nil {
		s.waiting = append(s.waiting, w)
		return
	}
	for _, key := range w.keys {
		s.blocked[key] = append(s.blocked[key], w)
	}
	s.emit(event.Event{Kind: event.RequestWaits, Peer: w.k.from, Path: w.path, Op: event.Command})
}

// waits returns all waits: first those for replicas, then the others by the names of their lists.
func (s *Server) waits() []*wait {
	all := slices.Clone(s.waiting)
	for _, key := range slices.Sorted(maps.Keys(s.blocked)) {
		for _, w := range s.blocked[key] {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}

// unblock ends a wait.
func (s *Server) unblock(w *wait, why event.Reason) {
	w.over, w.k.wait = true, nil
	isIt := func(o *wait) bool { return o == w }
	if w.keys == nil {
		s.waiting = slices.DeleteFunc(s.waiting, isIt)
		return
	}
	for _, key := range w.keys {
		list := slices.DeleteFunc(s.blocked[key], isIt)
		if s.blocked[key] = list; len(list) == 0 {
			delete(s.blocked, key)
		}
	}
	s.emit(event.Event{Kind: event.RequestServed, Peer: w.k.from, Path: w.path, Op: event.Command, Reason: why})
}

// serve hands out what was pushed to lists that requests wait for, to the longest waiting first. It runs after a
// command, or after a whole script.
func (s *Server) serve() {
	for len(s.ready) > 0 {
		key := s.ready[0]
		s.ready = slices.Delete(s.ready, 0, 1)
		for len(s.blocked[key]) > 0 {
			i := s.find(key)
			if i == nil || !i.isList {
				break
			}
			w := s.blocked[key][0]
			s.unblock(w, event.NoReason)
			s.by = w.k.from
			v := s.pop(key, i)
			w.k.link.Reply(redis.Reply(resp.List(resp.String(key), resp.String(v))), true, s.cause)
			s.unblocked = append(s.unblocked, w.k)
		}
	}
}

func publish(s *Server, _ *session, args []string) resp.Value {
	channel, message := args[1], args[2]
	for _, k := range s.channels[channel] {
		k.link.Push(redis.Message(channel, message), s.cause)
	}
	s.propagate(channel, args...)
	return resp.Int(int64(len(s.channels[channel])))
}

// subscribe replies as Redis does, with the channel and the number of subscriptions.
func subscribe(s *Server, k *session, args []string) resp.Value {
	channel := args[1]
	switch {
	case len(args) > 2:
		return resp.Err(oneChannel)
	case slices.Contains(k.channels, channel):
	case len(k.channels) == MaxChannels || len(channel)+namesOf(k.channels) > MaxNames:
		return resp.Err(outOfMemory)
	default:
		k.channels = append(k.channels, channel)
		s.channels[channel] = append(s.channels[channel], k)
	}
	return resp.List(resp.String("subscribe"), resp.String(channel), resp.Int(int64(len(k.channels))))
}

// namesOf returns the size of the channels' names in bytes.
func namesOf(channels []string) (n int) {
	for _, c := range channels {
		n += len(c)
	}
	return n
}

// unsubscribe leaves one channel: the named one, or the last.
func unsubscribe(s *Server, k *session, args []string) resp.Value {
	channel := resp.Value{}
	switch {
	case len(args) > 2:
		return resp.Err(oneChannel)
	case len(args) == 2:
		channel = resp.String(args[1])
	case len(k.channels) > 0:
		channel = resp.String(k.channels[len(k.channels)-1])
	}
	if channel.Kind == resp.Bulk {
		s.leave(channel.Str, k)
		k.channels = slices.DeleteFunc(k.channels, func(c string) bool { return c == channel.Str })
	}
	return resp.List(resp.String("unsubscribe"), channel, resp.Int(int64(len(k.channels))))
}

// leave removes a connection from a channel.
func (s *Server) leave(channel string, k *session) {
	list := slices.DeleteFunc(s.channels[channel], func(o *session) bool { return o == k })
	if s.channels[channel] = list; len(list) == 0 {
		delete(s.channels, channel)
	}
}
