package protocol_test

import (
	"reflect"
	"testing"

	"github.com/zkviz/zkviz/engine/run/protocol"
)

// TestReel checks that takes come back from a reel, and are found by the request that opened the run, or continues it.
func TestReel(t *testing.T) {
	lesson := protocol.Request{Do: protocol.Open, Lesson: "the-herd", Host: "sim"}
	other := protocol.Request{Do: protocol.Open, Query: "recipe=unique-lock&clients=4"}
	take := func(r protocol.Request, run string) protocol.Take {
		return protocol.Take{Request: protocol.AppendRequest(nil, r), Answers: []protocol.Answer{
			{Body: protocol.AppendMessage(nil, &protocol.Run{Run: run})}, {Frame: true, Body: []byte{2, 0}}, {Body: []byte{}},
		}}
	}
	want := []protocol.Take{take(lesson, "herd"), take(other, "herd.2"), {Request: []byte("{}")}}
	got, err := protocol.ParseReel(protocol.AppendReel(nil, want))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("the reel has %v, %v", got, err)
	}
	for _, test := range []struct {
		request protocol.Request
		want    int // index of the take, or -1
	}{
		{lesson, 0}, {other, 1}, {protocol.Request{Do: protocol.Resume, Run: "herd.2"}, 1},
		{protocol.Request{Do: protocol.Resume, Run: "other"}, -1}, {protocol.Request{Do: protocol.Resume}, 2},
		{protocol.Request{Do: protocol.Open, Lesson: "the-herd", Host: "live"}, -1},
		{protocol.Request{Do: protocol.Inject, Fault: "crash client-1 at 2s"}, -1},
	} {
		found, ok := protocol.FindTake(got, test.request)
		if ok != (test.want >= 0) || ok && !reflect.DeepEqual(found, want[test.want]) {
			t.Errorf("%+v finds %v, %s", test.request, ok, found.Request)
		}
	}
}

// FuzzParseReel checks that a damaged reel is refused or read, and that what is read can be written again.
func FuzzParseReel(f *testing.F) {
	f.Add(protocol.AppendReel(nil, []protocol.Take{{Request: []byte("{}"), Answers: []protocol.Answer{
		{Body: []byte("{}")}, {Frame: true, Body: []byte{2}},
	}}}))
	f.Add([]byte{1, 'r', 200})
	f.Add([]byte{1, 'm', 0})
	f.Add([]byte{1, 'r', 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, reel []byte) {
		takes, err := protocol.ParseReel(reel)
		if err != nil {
			return
		}
		again, err := protocol.ParseReel(protocol.AppendReel(nil, takes))
		if err != nil || !reflect.DeepEqual(again, takes) {
			t.Errorf("%q is read as %v, and then as %v, %v", reel, takes, again, err)
		}
	})
}
