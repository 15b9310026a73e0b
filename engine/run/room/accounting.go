package room

import (
	"crypto/sha256"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
)

// keptLog is a log in memory: a computed branch, which rooms may share, or the log of a growing room. The rooms'
// mutex guards all fields except branch and key.
type keptLog struct {
	key    logKey // zero for a growing log
	branch judged // zero for a growing log
	size   int    // bytes

	pins  int               // requests that are about to put it into a room
	rooms map[ClientKey]int // the number of rooms that hold it, by owner; without zeros
}

// logKey identifies what a log was computed from. Equal keys mean equal logs.
type logKey [sha256.Size]byte

func scenarioKey(s run.Scenario) logKey {
	return sha256.Sum256([]byte(s.Root + "?" + s.Query()))
}

// fork returns the key of the branch with f in addition.
func (k logKey) fork(f fault.Fault) logKey {
	return sha256.Sum256(append(k[:], f.String()...))
}

// accounting accounts for the memory of logs: each counts once in total, and once for each client with a room that
// holds it.
type accounting struct {
	total     int               // bytes
	perClient map[ClientKey]int // bytes, without zeros
	byKey     map[logKey]*keptLog
}

func newAccounting() accounting {
	return accounting{perClient: map[ClientKey]int{}, byKey: map[logKey]*keptLog{}}
}

// find returns the log computed from key, if it is kept, and pins it.
func (l *accounting) find(key logKey) (*keptLog, bool) {
	k, ok := l.byKey[key]
	if ok {
		k.pins++
	}
	return k, ok
}

// add keeps k, with that many pins.
func (l *accounting) add(k *keptLog, pins int) {
	k.rooms, k.pins = map[ClientKey]int{}, pins
	l.total += k.size
	if k.key != (logKey{}) {
		l.byKey[k.key] = k
	}
}

// unpin removes a request's pin from k.
func (l *accounting) unpin(k *keptLog) {
	k.pins--
	l.forget(k)
}

// hold counts k for a room of this client.
func (l *accounting) hold(k *keptLog, who ClientKey) {
	if k.rooms[who] == 0 {
		l.perClient[who] += k.size
	}
	k.rooms[who]++
}

// release stops counting k for a room of this client.
func (l *accounting) release(k *keptLog, who ClientKey) {
	if k.rooms[who]--; k.rooms[who] == 0 {
		delete(k.rooms, who)
		if l.perClient[who] -= k.size; l.perClient[who] == 0 {
			delete(l.perClient, who)
		}
	}
	l.forget(k)
}

// resize sets the size of k.
func (l *accounting) resize(k *keptLog, size int) {
	by := size - k.size
	k.size = size
	l.total += by
	for who := range k.rooms {
		if l.perClient[who] += by; l.perClient[who] == 0 {
			delete(l.perClient, who)
		}
	}
}

// forget drops a log that nobody holds.
func (l *accounting) forget(k *keptLog) {
	if k.pins > 0 || len(k.rooms) > 0 {
		return
	}
	l.total -= k.size
	if l.byKey[k.key] == k {
		delete(l.byKey, k.key)
	}
}

// unshared reports whether only a single room holds k, so that its memory is free when that room goes.
func (k *keptLog) unshared() bool { return k.pins == 0 && k.count() == 1 }

// count returns how many rooms hold k.
func (k *keptLog) count() (rooms int) {
	for _, n := range k.rooms {
		rooms += n
	}
	return rooms
}

// needs returns how many more bytes count for a client if one of its rooms holds k.
func (k *keptLog) needs(who ClientKey) int {
	if k.rooms[who] > 0 {
		return 0
	}
	return k.size
}
