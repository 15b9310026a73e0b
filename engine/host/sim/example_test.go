package sim_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
)

// Two programs want the same znode on a simulated ZooKeeper. Each is blocking code; the log is the same every time.
func Example() {
	create := systems.Program{Main: func(w systems.World) error {
		_, err := w.ZooKeeper().Create("/a", nil, zoo.Ephemeral)
		return err
	}}
	var log event.Log
	err := sim.Run(context.Background(), sim.Config{Seed: 1}, []systems.Program{create, create}, &log)
	if err != nil {
		fmt.Println(err)
	}
	for _, e := range log.Events {
		if e.Kind == event.TxnApplied || e.Kind == event.ClientExited {
			fmt.Printf("%s\n", strings.TrimSpace(eventtext.Of(e)))
		}
	}
	// Output:
	// 16    0.003000s zookeeper  txn.applied     create /a, client-1, zxid 0x3, session 0x10001, because of 13
	// 19    0.003000s zookeeper  txn.applied     create /a, client-2, code -110, zxid 0x4, session 0x10002, because of 15
	// 31    0.006000s client-1   client.exited   because of 30
	// 33    0.006000s client-2   client.exited   create /a: node exists, code -110, because of 32
}
