package event_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
)

// A log is a list of events. Each names the one that caused it, and has a line for people and one for files.
func Example() {
	var log event.Log
	log.Append(event.Event{Seq: 1, At: 2 * time.Millisecond, Kind: event.OpSent, Actor: 1, Op: event.Create,
		Path: "/lock"})
	log.Append(event.Event{Seq: 2, At: 3 * time.Millisecond, Kind: event.TxnApplied, Cause: 1, Peer: 1, Op: event.Create,
		Path: "/lock", Zxid: 7})
	for _, e := range log.Events {
		fmt.Printf("%s\n", strings.TrimSpace(eventtext.Of(e)))
	}
	fmt.Printf("%s\n", event.AppendJSON(nil, log.Events[1]))
	// Output:
	// 1    0.002000s client-1   op.sent         create /lock
	// 2    0.003000s zookeeper  txn.applied     create /lock, client-1, zxid 0x7, because of 1
	// {"seq":2,"at_ns":3000000,"kind":"txn.applied","cause":1,"peer":"client-1","op":"create","path":"/lock","zxid":7}
}
