package alarm

import (
	"encoding/json"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// States of a trouble.
const (
	stateNew      = "new"
	stateEnded    = "ended"
	stateHappened = "happened" // it has no end
)

// message is what a webhook receives: that a trouble is new, or has ended, or that something happened. A receiver that
// gets one with the same ID and State again ignores it.
type message struct {
	ID      string     `json:"id"`   // the trouble's; its end has the same
	Time    string     `json:"time"` // when it was first seen, or first gone; RFC 3339 in UTC
	State   string     `json:"state"`
	Cluster string     `json:"cluster"`
	Path    string     `json:"path,omitempty"` // the lock's; none if it's about the servers
	Kind    locks.Kind `json:"kind"`
	Text    string     `json:"text"`              // what is wrong, or was, in English
	Holders []holder   `json:"holders,omitempty"` // a few of those that hold a lock whose trouble is new
}

// holder is a client that holds a lock, as far as it is known.
type holder struct {
	Session string `json:"session,omitempty"` // none if its znode belongs to no session
	Address string `json:"address,omitempty"` // host:port
	Data    string `json:"data,omitempty"`    // what it wrote into its znode
}

// encode returns the message as one line of JSON.
func (m *message) encode() []byte {
	line, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings only
	}
	return append(line, '\n')
}

// messageOf returns the message about a trouble that is new or has ended.
func messageOf(id, cluster string, c *locks.Change, say func(sentence.Sentence) string) message {
	m := message{ID: id, Cluster: cluster, Path: c.Path, State: stateNew, Kind: c.Alert.Kind(),
		Time: timeText(c.TimeMS), Text: say(c.Alert.Sentence)}
	if c.Ended {
		m.State = stateEnded
	}
	for i := range c.Holding {
		h := &c.Holding[i]
		one := holder{Address: escape.Line(h.Client.Addr), Data: escape.Line(h.Data)}
		if h.Session != 0 {
			one.Session = handover.SessionText(h.Session)
		}
		m.Holders = append(m.Holders, one)
	}
	return m
}

// serversMessage returns the message about a cluster's servers.
func serversMessage(id, cluster string, c *ServerChange, say func(sentence.Sentence) string) message {
	return message{ID: id, Cluster: cluster, State: c.State, Kind: c.Kind, Time: timeText(c.TimeMS), Text: say(c.Says)}
}

// timeText writes a time in ms since 1970 as RFC 3339 in UTC.
func timeText(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
