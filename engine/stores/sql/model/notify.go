package model

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// notify makes the transaction send a message when it commits. Equal messages are sent once.
func (t *tx) notify(channel, message string) {
	for _, p := range t.notifies {
		if p.Path == channel && p.Body == message {
			return
		}
	}
	t.notifies = append(t.notifies, remote.Push{Path: channel, Text: event.Preview([]byte(message)), Body: message})
}

// announce starts listening and sends messages for a committed transaction.
func (s *Server) announce(t *tx) {
	for _, c := range t.listens {
		if !slices.Contains(t.k.listens, c) {
			t.k.listens = append(t.k.listens, c)
			s.listeners[c] = append(s.listeners[c], t.k)
		}
	}
	for _, p := range t.notifies {
		for _, k := range s.listeners[p.Path] {
			if k.call == nil && k.tx == nil && !k.aborted {
				k.link.Push(p, s.cause)
				continue
			}
			k.pushes = append(k.pushes, p)
		}
	}
	t.listens, t.notifies = nil, nil
}

func (s *Server) unlisten(channel string, k *session) {
	list := slices.DeleteFunc(s.listeners[channel], func(o *session) bool { return o == k })
	if s.listeners[channel] = list; len(list) == 0 {
		delete(s.listeners, channel)
	}
}
