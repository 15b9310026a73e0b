package redis_test

import (
	"reflect"
	"testing"

	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
)

// TestWritten checks that the log's text of a command and its reply determines both.
func TestWritten(t *testing.T) {
	script := redis.Scripts()[0].Lua
	for _, c := range []struct {
		command []string
		answer  resp.Value
	}{
		{[]string{"SET", "/zkviz/x/lock", "client-1#1", "NX", "PX", "10000"}, resp.OK()},
		{[]string{"SET", "/zkviz/x/lock", "client-1#1", "NX", "PX", "10000"}, resp.Value{}},
		{[]string{"SET", "k", "v", "NX", "PX", "10", "GET"}, resp.String("client-2#1")},
		{[]string{"SETNX", "k", ""}, resp.Int(0)},
		{[]string{"GET", "k"}, resp.String("17")},
		{[]string{"GET", "k"}, resp.String("two words, \"quoted\"\n")},
		{[]string{"GET", "k"}, resp.Value{}},
		{[]string{"INCR", "a key"}, resp.Int(-3)},
		{[]string{"BLPOP", "k", "1.5"}, resp.List(resp.String("k"), resp.String("1"))},
		{[]string{"BLPOP", "k", "1.5"}, resp.Value{Kind: resp.NilArray}},
		{[]string{"SUBSCRIBE", "k"}, resp.List(resp.String("subscribe"), resp.String("k"), resp.Int(1))},
		{[]string{"EVAL", script, "1", "k", "client-1#1"}, resp.Int(1)},
		{[]string{"LPUSH", "k", "v"}, resp.Err("WRONGTYPE Operation against a key")},
		{[]string{"PING"}, resp.Value{Kind: resp.Status, Str: "PONG"}},
	} {
		if got := redis.Command(redis.Text(c.command)); !reflect.DeepEqual(got, c.command) {
			t.Errorf("got %q, want %q", got, c.command)
		}
		got := redis.Answer(c.command, c.answer.String(), c.answer.Kind == resp.Error)
		if a, b := resp.Append(nil, got), resp.Append(nil, c.answer); string(a) != string(b) {
			t.Errorf("%q: got %q, want %q", c.command, a, b)
		}
	}
	if redis.Command("") != nil {
		t.Error("nothing is a command")
	}
}
