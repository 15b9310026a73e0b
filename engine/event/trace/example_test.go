package trace_test

import (
	"bytes"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/trace"
)

// A trace is a header line and a line for each event. A reader takes them one by one; Read takes all.
func Example() {
	var file bytes.Buffer
	w := trace.NewWriter(&file, event.Header{Host: event.Simulated, Recipe: "unique-lock", Clients: 1})
	w.Append(event.Event{Seq: 1, Kind: event.RunStarted})
	w.Append(event.Event{Seq: 2, At: time.Millisecond, Kind: event.ClientStarted, Actor: 1, Cause: 1})
	if err := w.Flush(); err != nil {
		fmt.Println(err)
	}
	fmt.Print(file.String())
	log, err := trace.Read(&file)
	fmt.Println(log.Header.Recipe, len(log.Events), err)
	// Output:
	// {"format":"zkviz-trace","version":2,"recipe":"unique-lock","host":"sim","clients":1}
	// {"seq":1,"at_ns":0,"kind":"run.started"}
	// {"seq":2,"at_ns":1000000,"kind":"client.started","cause":1,"actor":"client-1"}
	// unique-lock 2 <nil>
}
