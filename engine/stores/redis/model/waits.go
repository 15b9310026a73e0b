package model

import (
	"maps"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/base/agenda"
)

// waits holds the requests without a reply yet.
type waits struct {
	byList      map[string][]*wait // in order of arrival
	forReplicas []*wait
	pushed      []string   // lists pushed to during a command
	unblocked   []*session // since the last command
	limits      agenda.Agenda[*wait]
}

// add adds a wait.
func (ws *waits) add(w *wait) {
	if w.keys == nil {
		ws.forReplicas = append(ws.forReplicas, w)
	}
	for _, key := range w.keys {
		ws.byList[key] = append(ws.byList[key], w)
	}
}

// remove removes a wait that is over.
func (ws *waits) remove(w *wait) {
	isIt := func(o *wait) bool { return o == w }
	if w.keys == nil {
		ws.forReplicas = slices.DeleteFunc(ws.forReplicas, isIt)
	}
	for _, key := range w.keys {
		list := slices.DeleteFunc(ws.byList[key], isIt)
		if ws.byList[key] = list; len(list) == 0 {
			delete(ws.byList, key)
		}
	}
}

// nextLimit returns when the next wait has lasted long enough.
func (ws *waits) nextLimit() (time.Duration, bool) {
	for {
		at, w, ok := ws.limits.First()
		if !ok || !w.over {
			return at, ok
		}
		ws.limits.Next()
	}
}

// push records that a list got elements.
func (ws *waits) push(key string) {
	if len(ws.byList[key]) > 0 && !slices.Contains(ws.pushed, key) {
		ws.pushed = append(ws.pushed, key)
	}
}

// all returns all waits: first those for replicas, then the others by the names of their lists.
func (ws *waits) all() []*wait {
	all := slices.Clone(ws.forReplicas)
	for _, key := range slices.Sorted(maps.Keys(ws.byList)) {
		for _, w := range ws.byList[key] {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}

// wait is a request without a reply yet.
type wait struct {
	k       *session
	keys    []string // of a BLPOP
	path    string   // the key that it waits for in the log
	replies int      // of a WAIT: required number of replicas
	offset  int      // of a WAIT: required offset
	over    bool
}
