package wire_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

func TestRequestsComeBack(t *testing.T) {
	for _, want := range requests() {
		var got wire.Request
		if err := wire.DecodeRequest(want.Append(nil), &got); err != nil {
			t.Errorf("%v: %v", want.Op, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got\n%+v\nwant\n%+v", want.Op, got, want)
		}
	}
}

// TestDecodeIntoUsed decodes into a record that held everything else before.
func TestDecodeIntoUsed(t *testing.T) {
	var req wire.Request
	for _, want := range append(requests(), requests()...) {
		bytes := want.Append(nil)
		if err := wire.DecodeRequest(bytes, &req); err != nil || string(req.Append(nil)) != string(bytes) {
			t.Errorf("%v: got %+v, %v; want %+v", want.Op, req, err, want)
		}
	}
	var resp wire.Response
	for _, want := range append(responses(), responses()...) {
		bytes := want.Append(nil)
		if err := wire.DecodeResponse(bytes, want.Op, &resp); err != nil || string(resp.Append(nil)) != string(bytes) {
			t.Errorf("%v: got %+v, %v; want %+v", want.Op, resp, err, want)
		}
	}
}

func TestResponsesComeBack(t *testing.T) {
	for _, want := range responses() {
		var got wire.Response
		if err := wire.DecodeResponse(want.Append(nil), want.Op, &got); err != nil {
			t.Errorf("%v: %v", want.Op, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got\n%+v\nwant\n%+v", want.Op, got, want)
		}
	}
}

// TestShortBodies truncates every request at every position. The rest is an error, but its header is kept.
func TestShortBodies(t *testing.T) {
	for _, r := range requests() {
		whole := r.Append(nil)
		for n := range whole {
			var got wire.Request
			err := wire.DecodeRequest(whole[:n], &got)
			want := wire.ErrMarshalling
			if n < 8 || r.Op == wire.OpAuth || r.Op == wire.OpSASL {
				want = wire.ErrFrame
			}
			if !errors.Is(err, want) {
				t.Errorf("%v cut to %d of %d bytes: got %v, want %v", r.Op, n, len(whole), err, want)
			}
			if n >= 8 && (got.Xid != r.Xid || got.Op != r.Op) {
				t.Errorf("%v cut to %d bytes: header is %d %v", r.Op, n, got.Xid, got.Op)
			}
		}
	}
}

func TestShortResponses(t *testing.T) {
	for _, r := range responses() {
		whole := r.Append(nil)
		for n := range whole {
			var got wire.Response
			if err := wire.DecodeResponse(whole[:n], r.Op, &got); !errors.Is(err, wire.ErrFrame) {
				t.Errorf("%v cut to %d of %d bytes: %v", r.Op, n, len(whole), err)
			}
		}
	}
}

func TestUnknownOperations(t *testing.T) {
	for op := wire.Op(-300); op < 300; op++ {
		var got wire.Request
		err := wire.DecodeRequest((&wire.Request{Xid: 9, Op: op}).Append(nil), &got)
		unknown := op.String() == "error" || op.String() == "notification" || op.String()[0] <= '9'
		if errors.Is(err, wire.ErrUnimplemented) != unknown || got.Xid != 9 || got.Op != op {
			t.Errorf("operation %d (%v): %v", int(op), op, err)
		}
	}
}

func TestConnectComesBack(t *testing.T) {
	for _, want := range []wire.ConnectRequest{
		{TimeoutMS: 4000},
		{LastZxidSeen: 1, TimeoutMS: -1, Session: 5, Password: make([]byte, 16), HasReadOnly: true, ReadOnly: true},
	} {
		var got wire.ConnectRequest
		if err := wire.DecodeConnectRequest(want.Append(nil), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
	for _, want := range []wire.ConnectResponse{
		{TimeoutMS: 4000, Session: 5, Password: make([]byte, 16)},
		{Password: make([]byte, 16), HasReadOnly: true},
	} {
		var got wire.ConnectResponse
		if err := wire.DecodeConnectResponse(want.Append(nil), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
}

func TestNotificationComesBack(t *testing.T) {
	want := wire.Notification{Type: 3, State: wire.StateSyncConnected, Path: "/a", Zxid: -1}
	var got wire.Notification
	frame := want.Append(nil)
	if err := wire.DecodeNotification(frame, &got); err != nil || got != want || !wire.IsNotification(frame) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

// TestMultiReadOfWrites checks the only answer that has a body after an error.
func TestMultiReadOfWrites(t *testing.T) {
	want := wire.Response{Op: wire.OpMultiRead, Code: zoo.ErrMarshalling, Results: []wire.Result{}}
	var got wire.Response
	frame := want.Append(nil)
	if err := wire.DecodeResponse(frame, want.Op, &got); err != nil || len(frame) != 16+9 ||
		!reflect.DeepEqual(got, want) {
		t.Errorf("%x is read as %+v, %v", frame, got, err)
	}
}

// TestSent checks that an observer sees the text as sent, and a server as ZooKeeper converts it.
func TestSent(t *testing.T) {
	const path = "/\U0001f600\xff"
	frame := (&wire.Request{Op: wire.OpSync, Path: path}).Append(nil)
	var sent, taken wire.Request
	if err := wire.DecodeSent(frame, &sent); err != nil || sent.Path != path {
		t.Errorf("the onlooker sees %q, %v", sent.Path, err)
	}
	if err := wire.DecodeRequest(frame, &taken); err != nil || taken.Path != wire.Text([]byte(path)) {
		t.Errorf("the server sees %q, %v", taken.Path, err)
	}
}
