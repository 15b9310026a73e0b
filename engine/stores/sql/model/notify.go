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

// listeners holds the sessions that listen.
type listeners struct {
	sessions map[string][]*session // by channel
}

// announce starts listening and sends messages for a committed transaction.
func (l *listeners) announce(t *tx, cause event.Seq) {
	for _, c := range t.listens {
		if !slices.Contains(t.k.listens, c) {
			t.k.listens = append(t.k.listens, c)
			l.sessions[c] = append(l.sessions[c], t.k)
		}
	}
	for _, p := range t.notifies {
		for _, k := range l.sessions[p.Path] {
			if k.call == nil && k.tx == nil && !k.aborted {
				k.link.Push(p, cause)
				continue
			}
			k.pushes = append(k.pushes, p)
		}
	}
	t.listens, t.notifies = nil, nil
}

func (l *listeners) leave(channel string, k *session) {
	list := slices.DeleteFunc(l.sessions[channel], func(o *session) bool { return o == k })
	if l.sessions[channel] = list; len(list) == 0 {
		delete(l.sessions, channel)
	}
}
