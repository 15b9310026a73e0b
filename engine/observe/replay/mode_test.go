package replay_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestGuessMode checks guesses from the name and the owner.
func TestGuessMode(t *testing.T) {
	for path, sequential := range map[string]bool{
		"/a": false, "/lock-0000000001": true, "/lock-000000001": false, "/0000000001": true, "/lock-00000000x1": false,
		"/lock--000000001": false, "/lock-12345678901": false, "/block-1764039780": true,
	} {
		for ephemeral, mode := range map[bool]zoo.CreateMode{false: zoo.Persistent, true: zoo.Ephemeral} {
			if sequential {
				mode |= zoo.PersistentSequential
			}
			if got := replay.GuessMode(path, ephemeral, 0); got != mode {
				t.Errorf("%s, ephemeral %t, is taken for %v, not %v", path, ephemeral, got, mode)
			}
		}
	}
}

// TestCounter checks that a number counts only if the parent can have assigned it.
func TestCounter(t *testing.T) {
	for path, made := range map[string]int64{"/block-1764039780": 40_000, "/lock-0000000007": 7} {
		if m := replay.GuessMode(path, false, made); m.IsSequential() {
			t.Errorf("%s is taken for the %d. child at most", path, made)
		}
	}
	if m := replay.GuessMode("/lock-0000000006", false, 7); !m.IsSequential() {
		t.Error("the last of seven children is not taken for one")
	}
	s := replay.New("/")
	made := func(path string, cversion int32) zoo.CreateMode {
		s.Apply(&wire.Txn{Zxid: s.Zxid + 1, Op: wire.OpCreate, Path: path, Cversion: cversion})
		return zoo.CreateMode(s.Node(path).Mode)
	}
	if made("/id-1764039780", 3).IsSequential() || !made("/id-0000000003", 4).IsSequential() ||
		!made("/l--2147483648", -1<<31+1).IsSequential() || !made("/v34-0000000009", -1).IsSequential() {
		t.Error("what a transaction says of the parent's counter doesn't count")
	}
	if s.Node("/") != nil {
		t.Fatal("the root is there")
	}
	s.Put("/p", replay.Node{Made: 5})
	s.Put("/p/a-0000000005", replay.Node{})
	s.Put("/p/a-0000000004", replay.Node{})
	for path, want := range map[string]bool{"/p/a-0000000005": false, "/p/a-0000000004": true} {
		if got := zoo.CreateMode(s.Node(path).Mode).IsSequential(); got != want {
			t.Errorf("%s of a parent that has had 5 children: sequential %t", path, got)
		}
	}
}
